! The LU from Fortran: a random system is solved on the squarest grid by bsp_pdgesv, and by
! bsp_pdgetrf and bsp_pdgetrs; both leave small residuals, and the matrices are ScaLAPACK's. The pieces do what
! they do on the whole matrix.
program lu_fortran
  use blacs
  use bsp_lu
  implicit none
  integer, parameter :: n = 75, nb = 4, nrhs = 3
  integer :: me, processes, context, rows, columns, row, column, m, k, kb, info, wrong
  integer :: desca(9), descb(9)
  double precision :: work(1)
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
  call load()
  call bsp_lu_panel(bsp_lu_tournament + bsp_lu_in_step)
  call bsp_pdgesv(n, nrhs, a, 1, 1, desca, ipiv, b, 1, 1, descb, info)
  call judge('pdgesv, in tournaments')
  call bsp_lu_panel(0)
  call bsp_lu_block(8)
  call load()
  call bsp_pdgetrf(n, n, a, 1, 1, desca, ipiv, info)
  if (info == 0) call bsp_pdgetrs('N', n, nrhs, a, 1, 1, desca, ipiv, b, 1, 1, descb, info)
  call judge('bsp_pdgetrf and bsp_pdgetrs')
  call try_definite()
  call try_orthogonal()
  call load()
  call bsp_pdgels('N', n, n, nrhs, a, 1, 1, desca, b, 1, 1, descb, work, 1, info)
  call judge('bsp_pdgels')
  call try_pieces()
  if (me == 0) print '(I0, A, I0, A)', 10 - wrong, ' passed, ', wrong, ' failed'
  call blacs_gridexit(context)
  call blacs_exit(0)
  if (wrong /= 0) stop 1

contains

  subroutine count_wrong(name, good)
    character(len=*), intent(in) :: name
    logical, intent(in) :: good
    integer :: bad
    bad = merge(0, 1, good)
    call igsum2d(context, 'All', ' ', 1, 1, bad, 1, -1, -1)
    if (bad > 0) wrong = wrong + 1
    if (bad > 0 .and. me == 0) print '(2A)', name, ' is wrong'
  end subroutine

  ! The same matrix times its transpose, of which one triangle is looked at.
  subroutine try_definite()
    double precision :: general(n, n)
    general = whole
    whole = matmul(general, transpose(general))
    call load()
    call bsp_pdposv('L', n, nrhs, a, 1, 1, desca, b, 1, 1, descb, info)
    call judge('bsp_pdposv')
    call load()
    call bsp_pdpotrf('U', n, a, 1, 1, desca, info)
    if (info == 0) call bsp_pdpotrs('U', n, nrhs, a, 1, 1, desca, b, 1, 1, descb, info)
    call judge('bsp_pdpotrf and bsp_pdpotrs')
    whole = general
  end subroutine

  ! R^T R = A^T A, and no reflection is longer than 2.
  subroutine try_orthogonal()
    double precision :: r(n, n), tau(max(1, k))
    integer :: j
    call load()
    call bsp_pdgeqrf(n, n, a, 1, 1, desca, tau, work, 1, info)
    call give(a, r)
    do j = 1, n
      r(j + 1:, j) = 0
    end do
    r = matmul(transpose(r), r) - matmul(transpose(whole), whole)
    call count_wrong('bsp_pdgeqrf', info == 0 .and. maxval(abs(r)) < 1d-10 .and. all(tau(1:k) >= 0 .and. tau(1:k) <= 2))
  end subroutine

  ! Rows 3 and 70 change places; the largest of column 9; a block of columns factored, and its swaps in the others.
  subroutine try_pieces()
    double precision :: largest, line(n), expected(max(1, m), max(1, k))
    integer :: at, i, first, swaps(nb)
    type(bsp_lu_parts) :: parts
    call bsp_lu_last(parts)
    call load()
    call bsp_pdswap(n, a, 3, 1, desca, n, a, 70, 1, desca, n)
    line = whole(3, :)
    whole(3, :) = whole(70, :)
    whole(70, :) = line
    call take(whole, expected)
    call count_wrong('bsp_pdswap', all(abs(a(1:m, 1:k) - expected(1:m, 1:k)) <= 0) .and. parts%block == 8)
    call bsp_pdamax(n, largest, at, a, 1, 9, desca, 1)
    call count_wrong('bsp_pdamax', at == maxloc(abs(whole(:, 9)), 1) .and. abs(largest - whole(at, 9)) <= 0)
    call bsp_pdgetf2(n, nb, a, 1, 1, desca, ipiv, info)
    call bsp_pdlaswp('F', 'R', n - nb, a, 1, nb + 1, desca, 1, nb, ipiv)
    swaps = 0
    if (row == 0 .and. column == 0) swaps = ipiv(1:nb)
    call igsum2d(context, 'All', ' ', nb, 1, swaps, nb, -1, -1)
    do i = 1, nb
      line = whole(i, :)
      whole(i, :) = whole(swaps(i), :)
      whole(swaps(i), :) = line
    end do
    call take(whole, expected)
    first = merge(nb + 1, 1, column == 0)
    call count_wrong('bsp_pdgetf2 and bsp_pdlaswp', info == 0 .and. all(abs(a(1:m, first:k) - expected(1:m, first:k)) <= 0))
  end subroutine

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

  ! The whole of it to all processes.
  subroutine give(from, to)
    double precision, intent(in) :: from(:,:)
    double precision, intent(out) :: to(:,:)
    integer :: i, j, li, lj
    to = 0
    lj = 0
    do j = 1, size(to, 2)
      if (mod((j - 1) / nb, columns) /= column) cycle
      lj = lj + 1
      li = 0
      do i = 1, size(to, 1)
        if (mod((i - 1) / nb, rows) /= row) cycle
        li = li + 1
        to(i, j) = from(li, lj)
      end do
    end do
    call dgsum2d(context, 'All', ' ', size(to, 1), size(to, 2), to, size(to, 1), -1, -1)
  end subroutine

  ! All processes get the solution, and compare its residual.
  subroutine judge(name)
    character(len=*), intent(in) :: name
    double precision :: error
    call give(b, x)
    error = maxval(abs(matmul(whole, x) - sides)) / (maxval(sum(abs(whole), 2)) * maxval(abs(x)))
    if (info /= 0 .or. .not. error < 1d-14 * n) then
      wrong = wrong + 1
      if (me == 0) print '(2A, I0, A, ES9.2)', name, ': info ', info, ', residual ', error
    end if
  end subroutine
end program
