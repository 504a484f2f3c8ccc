! An MPI program in Fortran, with the module mpi or (F08) mpi_f08: the replacement library
! must be met by Fortran's calls, too, and understand Fortran's MPI_IN_PLACE and types.
program calls
#ifdef F08
  use mpi_f08
#else
  use mpi
#endif
  implicit none
  integer :: me, n, i, ierr, failed, passed
  integer, allocatable :: all(:), counts(:), places(:)
  double precision :: x(100), pair(2), best(2)
  complex(kind(1d0)) :: z, w
  logical :: truth, both
  character(5) :: word

  call begin()
  allocate(all(n), counts(n), places(n))

  x = merge(1.5d0, 0d0, me == n - 1)
  call mpi_bcast(x, 100, MPI_DOUBLE_PRECISION, n - 1, MPI_COMM_WORLD, ierr)
  call check(minval(x) == maxval(x) .and. nint(2 * x(1)) == 3, 'bcast')
  word = merge('hello', '.....', me == 0)
  call mpi_bcast(word, 5, MPI_CHARACTER, 0, MPI_COMM_WORLD, ierr)
  call check(word == 'hello', 'bcast of characters')
  x = me
  call mpi_allreduce(MPI_IN_PLACE, x, 100, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  call check(nint(minval(x)) == n * (n - 1) / 2, 'allreduce in place')
  z = cmplx(1, me, kind(1d0))
  call mpi_reduce(z, w, 1, MPI_DOUBLE_COMPLEX, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  call check(me /= 0 .or. (nint(real(w)) == n .and. nint(aimag(w)) == n * (n - 1) / 2), 'reduce')
  truth = me == 0
  call mpi_allreduce(truth, both, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD, ierr)
  call check(both .eqv. n == 1, 'and')
  call mpi_allreduce(truth, both, 1, MPI_LOGICAL, MPI_LXOR, MPI_COMM_WORLD, ierr)
  call check(both, 'exclusive or')
  pair = [dble(mod(me * 3, n)), dble(me)]
  call mpi_allreduce(pair, best, 1, MPI_2DOUBLE_PRECISION, MPI_MINLOC, MPI_COMM_WORLD, ierr)
  call check(nint(best(1)) == 0 .and. nint(best(2)) == 0, 'minloc')

  all = -1
  all(me + 1) = me
  call mpi_allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  call check(sum(all) == n * (n - 1) / 2, 'allgather in place')
  counts = 1
  places = [(n - i, i = 1, n)]
  all = -1
  call mpi_gatherv(me, 1, MPI_INTEGER, all, counts, places, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  call check(me /= 0 .or. all(1) == n - 1, 'gatherv backwards')
  call mpi_scatter(all, 1, MPI_INTEGER, i, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  call check(i == n - 1 - me, 'scatter')
  all = me
  call mpi_reduce_scatter(all, i, counts, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, ierr)
  call check(i == n - 1, 'reduce_scatter')
  call mpi_barrier(MPI_COMM_WORLD, ierr)

  call finish()

contains
  include 'mpi_check.inc'
end program
