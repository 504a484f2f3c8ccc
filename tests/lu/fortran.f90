! The LU from Fortran: a random system is solved on the squarest grid by bsp_pdgesv, and by
! bsp_pdgetrf and bsp_pdgetrs; both leave small residuals, and the matrices are ScaLAPACK's.
program lu_fortran
  implicit none
  integer, parameter :: n = 75, nb = 4, nrhs = 3
  integer :: me, processes, context, rows, columns, row, column, m, k, kb, info, wrong
  integer :: desca(9), descb(9)
  double precision, allocatable :: a(:,:), b(:,:), whole(:,:), sides(:,:), x(:,:)
  integer, allocatable :: ipiv(:)

  call blacs_pinfo(me, processes)
  rows = int(sqrt(dble(processes)))
  do while (mod(processes, rows) /= 0)
    rows = rows - 1
  end do
  call blacs_get(-1, 0, context)
  call blacs_gridinit(context, 'Row', rows, processes / rows)
  call blacs_gridinfo(context, rows, columns, row, column)
  m = share(n, row, rows)
  k = share(n, column, columns)
  kb = share(nrhs, column, columns)
  desca = (/ 1, context, n, n, nb, nb, 0, 0, max(1, m) /)
  descb = (/ 1, context, n, nrhs, nb, nb, 0, 0, max(1, m) /)
  allocate(whole(n, n), sides(n, nrhs), x(n, nrhs), ipiv(m + nb))
  call fill(whole, 7)
  call fill(sides, 11)

  wrong = 0
  call load()
  call bsp_pdgesv(n, nrhs, a, 1, 1, desca, ipiv, b, 1, 1, descb, info)
  call judge('bsp_pdgesv')
  call bsp_lu_block(8)
  call load()
  call bsp_pdgetrf(n, n, a, 1, 1, desca, ipiv, info)
  if (info == 0) call bsp_pdgetrs('N', n, nrhs, a, 1, 1, desca, ipiv, b, 1, 1, descb, info)
  call judge('bsp_pdgetrf and bsp_pdgetrs')
  if (me == 0) print '(I0, A, I0, A)', 2 - wrong, ' passed, ', wrong, ' failed'
  call blacs_gridexit(context)
  call blacs_exit(0)
  if (wrong /= 0) stop 1

contains

  integer function share(count, place, places)
    integer, intent(in) :: count, place, places
    integer :: i
    share = 0
    do i = 0, count - 1
      if (mod(i / nb, places) == place) share = share + 1
    end do
  end function

  subroutine fill(matrix, seed)
    double precision, intent(out) :: matrix(:,:)
    integer, intent(in) :: seed
    integer :: i, j
    do j = 1, size(matrix, 2)
      do i = 1, size(matrix, 1)
        matrix(i, j) = sin(dble(seed * i * i + 37 * j + 5 * i * j))
      end do
    end do
  end subroutine

  ! The own parts of the matrix and of the right-hand sides.
  subroutine load()
    if (.not. allocated(a)) allocate(a(max(1, m), max(1, k)), b(max(1, m), max(1, kb)))
    call take(whole, a)
    call take(sides, b)
  end subroutine

  subroutine take(from, to)
    double precision, intent(in) :: from(:,:)
    double precision, intent(inout) :: to(:,:)
    integer :: i, j, li, lj
    lj = 0
    do j = 1, size(from, 2)
      if (mod((j - 1) / nb, columns) /= column) cycle
      lj = lj + 1
      li = 0
      do i = 1, size(from, 1)
        if (mod((i - 1) / nb, rows) /= row) cycle
        li = li + 1
        to(li, lj) = from(i, j)
      end do
    end do
  end subroutine

  ! All processes get the solution, and compare its residual.
  subroutine judge(name)
    character(len=*), intent(in) :: name
    integer :: i, j, li, lj
    double precision :: error
    x = 0
    lj = 0
    do j = 1, nrhs
      if (mod((j - 1) / nb, columns) /= column) cycle
      lj = lj + 1
      li = 0
      do i = 1, n
        if (mod((i - 1) / nb, rows) /= row) cycle
        li = li + 1
        x(i, j) = b(li, lj)
      end do
    end do
    call dgsum2d(context, 'All', ' ', n, nrhs, x, n, -1, -1)
    error = maxval(abs(matmul(whole, x) - sides)) / (maxval(sum(abs(whole), 2)) * maxval(abs(x)))
    if (info /= 0 .or. .not. error < 1d-14 * n) then
      wrong = wrong + 1
      if (me == 0) print '(2A, I0, A, ES9.2)', name, ': info ', info, ', residual ', error
    end if
  end subroutine
end program
