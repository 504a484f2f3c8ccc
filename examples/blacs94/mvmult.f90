! The program of LAPACK Working Note 73, appendix A, written anew to its call sequences: a
! distributed matrix-vector product b = A x, and infinity norms of A, x and b. Each process has a
! piece of A; x lies over process row 0, b in every process column.
program mvmult
  implicit none
  integer, parameter :: wide = kind(1d0), lm = 50, ln = 50
  integer :: iam, nnodes, nprow, npcol, myrow, mycol, i, j, k, owner_row, owner_column
  real(wide) :: a(lm, ln), x(ln), b(lm), norm_a, norm_x(1), norm_b(1), other(1)
  integer :: seed

  call initpinfo(iam, nnodes)
  if (nnodes < 1) then
    nnodes = 8
    call auxsetup(iam, nnodes)
  end if
  nprow = int(sqrt(real(nnodes)))
  npcol = nnodes / nprow
  call blacsinit(nprow, npcol)
  call gridinfo(nprow, npcol, myrow, mycol)
  if (myrow < nprow .and. mycol < npcol) call multiply()
  call blacsexit(0)

contains

  ! Numbers in -1 .. 1 that depend on the global place alone.
  real(wide) function number(row, column)
    integer, intent(in) :: row, column
    seed = mod(row * 7919 + column * 104729 + 12345, 65536)
    do k = 1, 3
      seed = mod(seed * 25173 + 13849, 65536)
    end do
    number = seed / 32768d0 - 1
  end function

  subroutine multiply()
    do j = 1, ln
      do i = 1, lm
        a(i, j) = number(myrow * lm + i, mycol * ln + j)
      end do
    end do
    norm_a = matrix_norm()
    if (myrow == 0) then
      do j = 1, ln
        x(j) = number(0, mycol * ln + j)
      end do
      call dgebs2d('COLUMN', 'HYPERCUBE', ln, 1, x, ln)
    else
      call dgebr2d('COLUMN', 'HYPERCUBE', ln, 1, x, ln, 0, mycol)
    end if
    norm_x = maxval(abs(x))
    call dgmax2d('R', 'H', 1, 1, norm_x, 1, i, j, 1, -1, 0)
    b = matmul(a, x)
    call dgsum2d('ROW', 'HYPERCUBE', lm, 1, b, lm, -1, 0)
    norm_b = maxval(abs(b))
    call dgmax2d('C', 'H', 1, 1, norm_b, 1, owner_row, owner_column, 1, -1, 0)
    if (myrow == 0 .and. mycol == 0) then
      print '(a, g20.13)', '||A|| = ', norm_a, '||x|| = ', norm_x(1), '||b|| = ', norm_b(1)
      print '(a, i0, a, i0)', '||b|| lies in process row ', owner_row, ' of ', nprow
    end if
    ! Point to point: have the first and the last process the same norm?
    if (myrow == nprow - 1 .and. mycol == npcol - 1) call dgesd2d(1, 1, norm_b, 1, 0, 0)
    if (myrow == 0 .and. mycol == 0) then
      call dgerv2d(1, 1, other, 1, nprow - 1, npcol - 1)
      if (abs(other(1) - norm_b(1)) > 0) print '(a, 2g22.15)', 'ERROR: norms of b differ: ', norm_b, other
    end if
  end subroutine

  ! The largest sum of a row of the distributed matrix.
  real(wide) function matrix_norm()
    real(wide) :: work(lm), largest(1)
    integer :: ra, ca
    work = sum(abs(a), 2)
    call dgsum2d('r', '1', lm, 1, work, lm, myrow, 0)
    largest = maxval(work)
    if (mycol == 0) call dgmax2d('c', 'h', 1, 1, largest, 1, ra, ca, 1, -1, 0)
    if (mycol == 0) then
      call dgebs2d('r', 'h', 1, 1, largest, 1)
    else
      call dgebr2d('r', 'h', 1, 1, largest, 1, 0, 0)
    end if
    matrix_norm = largest(1)
  end function
end program
