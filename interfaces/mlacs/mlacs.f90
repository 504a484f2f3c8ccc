! The Fortran module mlacs: constants, types and interfaces of the MLACS. What each
! routine does is said in openblacs/mlacs.h; the arguments are the same, by reference,
! with the error code as the last one, which may be left out, as may a status.
! Communicators are integers, in an MPI program MPI's own.
module mlacs
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_intptr_t
  implicit none
  public

  ! Datatypes.
  integer, parameter :: MLACS_INTEGER = 0, MLACS_REAL = 1, MLACS_DOUBLE_PRECISION = 2
  integer, parameter :: MLACS_COMPLEX = 3, MLACS_DOUBLE_COMPLEX = 4, MLACS_BYTE = 5

  integer, parameter :: MLACS_ANY_ROW = -1, MLACS_ANY_COLUMN = -1, MLACS_ANY_TAG = -1
  integer, parameter :: MLACS_IGNORE = -2
  integer, parameter :: MLACS_TAG_MAX = 2147483646

  integer, parameter :: MLACS_SUCCESS = 0, MLACS_ERR_INIT = 1, MLACS_ERR_COMM = 2
  integer, parameter :: MLACS_ERR_TOPOLOGY = 3, MLACS_ERR_GRID = 4, MLACS_ERR_PROCESS = 5
  integer, parameter :: MLACS_ERR_WILDCARD = 6, MLACS_ERR_ROOT = 7, MLACS_ERR_TAG = 8
  integer, parameter :: MLACS_ERR_TYPE = 9, MLACS_ERR_SIZE = 10, MLACS_ERR_BUFFER = 11
  integer, parameter :: MLACS_ERR_UPLO = 12, MLACS_ERR_DIAG = 13, MLACS_ERR_REQUEST = 14
  integer, parameter :: MLACS_ERR_ARG = 15, MLACS_ERR_TRUNCATE = 16, MLACS_ERR_READY = 17
  integer, parameter :: MLACS_ERR_GONE = 18, MLACS_ERR_MEMORY = 19, MLACS_ERR_SYSTEM = 20

  ! Of a message received or probed: its sender, tag, datatype and number of elements.
  type, bind(c) :: mlacs_status
    integer(c_int) :: row, column, rank, tag, type, cancelled
    integer(c_int64_t) :: count
  end type

  ! An operation under way.
  type, bind(c) :: mlacs_request
    integer(c_intptr_t) :: operation = 0, columns = 0
  end type
  type(mlacs_request), parameter :: MLACS_REQUEST_NULL = mlacs_request(0, 0)

  interface
    integer function mlacs_comm_world()
    end function
    integer function mlacs_comm_null()
    end function
    subroutine mlacs_error_string(code, string)
      integer, intent(in) :: code
      character(len=*), intent(out) :: string
    end subroutine
    subroutine mlacs_error_text(string)
      character(len=*), intent(out) :: string
    end subroutine

    ! Grids.
    subroutine mlacs_gridinit(comm, nrow, ncol, commall, commrow, commcol, error)
      integer, intent(in) :: comm, nrow, ncol
      integer, intent(out) :: commall, commrow, commcol
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_gridmap(usermap, ldu, nrow, ncol, comm, commall, commrow, commcol, &
        error)
      integer, intent(in) :: usermap(*)
      integer, intent(in) :: ldu, nrow, ncol, comm
      integer, intent(out) :: commall, commrow, commcol
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_gridexit(commall, commrow, commcol, error)
      integer, intent(inout) :: commall, commrow, commcol
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_initialized(flag, error)
      logical, intent(out) :: flag
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_procinfo(me, nprocs, error)
      integer, intent(out) :: me, nprocs
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_gridinfo(comm, nrow, ncol, myrow, mycol, error)
      integer, intent(in) :: comm
      integer, intent(out) :: nrow, ncol, myrow, mycol
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_cart_rank(comm, row, col, rank, error)
      integer, intent(in) :: comm, row, col
      integer, intent(out) :: rank
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_cart_coords(comm, rank, row, col, error)
      integer, intent(in) :: comm, rank
      integer, intent(out) :: row, col
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_barrier(comm, error)
      integer, intent(in) :: comm
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_abort(comm, code, error)
      integer, intent(in) :: comm, code
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_exit(error)
      integer, intent(out), optional :: error
    end subroutine

    ! Point to point.
    subroutine mlacs_send(a, lda, m, n, datatype, rdest, cdest, tag, comm, error)
      type(*), intent(in) :: a(*)
      integer, intent(in) :: lda, m, n
      integer, intent(in) :: datatype, rdest, cdest, tag, comm
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_send_trap(a, lda, m, n, uplo, diag, datatype, rdest, cdest, tag, &
        comm, error)
      type(*), intent(in) :: a(*)
      integer, intent(in) :: lda, m, n
      character(len=1), intent(in) :: uplo, diag
      integer, intent(in) :: datatype, rdest, cdest, tag, comm
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_isend(a, lda, m, n, datatype, rdest, cdest, tag, comm, request, error)
      import :: mlacs_request
      type(*), asynchronous, intent(in) :: a(*)
      integer, intent(in) :: lda, m, n
      integer, intent(in) :: datatype, rdest, cdest, tag, comm
      type(mlacs_request), intent(out) :: request
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_isend_trap(a, lda, m, n, uplo, diag, datatype, rdest, cdest, tag, &
        comm, request, error)
      import :: mlacs_request
      type(*), asynchronous, intent(in) :: a(*)
      integer, intent(in) :: lda, m, n
      character(len=1), intent(in) :: uplo, diag
      integer, intent(in) :: datatype, rdest, cdest, tag, comm
      type(mlacs_request), intent(out) :: request
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_rsend(a, lda, m, n, datatype, rdest, cdest, tag, comm, error)
      type(*), intent(in) :: a(*)
      integer, intent(in) :: lda, m, n
      integer, intent(in) :: datatype, rdest, cdest, tag, comm
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_rsend_trap(a, lda, m, n, uplo, diag, datatype, rdest, cdest, tag, &
        comm, error)
      type(*), intent(in) :: a(*)
      integer, intent(in) :: lda, m, n
      character(len=1), intent(in) :: uplo, diag
      integer, intent(in) :: datatype, rdest, cdest, tag, comm
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_irsend(a, lda, m, n, datatype, rdest, cdest, tag, comm, request, error)
      import :: mlacs_request
      type(*), asynchronous, intent(in) :: a(*)
      integer, intent(in) :: lda, m, n
      integer, intent(in) :: datatype, rdest, cdest, tag, comm
      type(mlacs_request), intent(out) :: request
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_irsend_trap(a, lda, m, n, uplo, diag, datatype, rdest, cdest, tag, &
        comm, request, error)
      import :: mlacs_request
      type(*), asynchronous, intent(in) :: a(*)
      integer, intent(in) :: lda, m, n
      character(len=1), intent(in) :: uplo, diag
      integer, intent(in) :: datatype, rdest, cdest, tag, comm
      type(mlacs_request), intent(out) :: request
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_ssend(a, lda, m, n, datatype, rdest, cdest, tag, comm, error)
      type(*), intent(in) :: a(*)
      integer, intent(in) :: lda, m, n
      integer, intent(in) :: datatype, rdest, cdest, tag, comm
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_ssend_trap(a, lda, m, n, uplo, diag, datatype, rdest, cdest, tag, &
        comm, error)
      type(*), intent(in) :: a(*)
      integer, intent(in) :: lda, m, n
      character(len=1), intent(in) :: uplo, diag
      integer, intent(in) :: datatype, rdest, cdest, tag, comm
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_issend(a, lda, m, n, datatype, rdest, cdest, tag, comm, request, error)
      import :: mlacs_request
      type(*), asynchronous, intent(in) :: a(*)
      integer, intent(in) :: lda, m, n
      integer, intent(in) :: datatype, rdest, cdest, tag, comm
      type(mlacs_request), intent(out) :: request
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_issend_trap(a, lda, m, n, uplo, diag, datatype, rdest, cdest, tag, &
        comm, request, error)
      import :: mlacs_request
      type(*), asynchronous, intent(in) :: a(*)
      integer, intent(in) :: lda, m, n
      character(len=1), intent(in) :: uplo, diag
      integer, intent(in) :: datatype, rdest, cdest, tag, comm
      type(mlacs_request), intent(out) :: request
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_bsend(a, lda, m, n, datatype, rdest, cdest, tag, comm, error)
      type(*), intent(in) :: a(*)
      integer, intent(in) :: lda, m, n
      integer, intent(in) :: datatype, rdest, cdest, tag, comm
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_bsend_trap(a, lda, m, n, uplo, diag, datatype, rdest, cdest, tag, &
        comm, error)
      type(*), intent(in) :: a(*)
      integer, intent(in) :: lda, m, n
      character(len=1), intent(in) :: uplo, diag
      integer, intent(in) :: datatype, rdest, cdest, tag, comm
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_ibsend(a, lda, m, n, datatype, rdest, cdest, tag, comm, request, error)
      import :: mlacs_request
      type(*), asynchronous, intent(in) :: a(*)
      integer, intent(in) :: lda, m, n
      integer, intent(in) :: datatype, rdest, cdest, tag, comm
      type(mlacs_request), intent(out) :: request
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_ibsend_trap(a, lda, m, n, uplo, diag, datatype, rdest, cdest, tag, &
        comm, request, error)
      import :: mlacs_request
      type(*), asynchronous, intent(in) :: a(*)
      integer, intent(in) :: lda, m, n
      character(len=1), intent(in) :: uplo, diag
      integer, intent(in) :: datatype, rdest, cdest, tag, comm
      type(mlacs_request), intent(out) :: request
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_recv(a, lda, m, n, datatype, rsrc, csrc, tag, comm, status, error)
      import :: mlacs_status
      type(*) :: a(*)
      integer, intent(in) :: lda, m, n
      integer, intent(in) :: datatype, rsrc, csrc, tag, comm
      type(mlacs_status), intent(out), optional :: status
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_recv_trap(a, lda, m, n, uplo, diag, datatype, rsrc, csrc, tag, comm, &
        status, error)
      import :: mlacs_status
      type(*) :: a(*)
      integer, intent(in) :: lda, m, n
      character(len=1), intent(in) :: uplo, diag
      integer, intent(in) :: datatype, rsrc, csrc, tag, comm
      type(mlacs_status), intent(out), optional :: status
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_irecv(a, lda, m, n, datatype, rsrc, csrc, tag, comm, request, error)
      import :: mlacs_request
      type(*), asynchronous :: a(*)
      integer, intent(in) :: lda, m, n
      integer, intent(in) :: datatype, rsrc, csrc, tag, comm
      type(mlacs_request), intent(out) :: request
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_irecv_trap(a, lda, m, n, uplo, diag, datatype, rsrc, csrc, tag, comm, &
        request, error)
      import :: mlacs_request
      type(*), asynchronous :: a(*)
      integer, intent(in) :: lda, m, n
      character(len=1), intent(in) :: uplo, diag
      integer, intent(in) :: datatype, rsrc, csrc, tag, comm
      type(mlacs_request), intent(out) :: request
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_wait(request, status, error)
      import :: mlacs_request, mlacs_status
      type(mlacs_request), intent(inout) :: request
      type(mlacs_status), intent(out), optional :: status
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_test(request, flag, status, error)
      import :: mlacs_request, mlacs_status
      type(mlacs_request), intent(inout) :: request
      logical, intent(out) :: flag
      type(mlacs_status), intent(out), optional :: status
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_waitall(count, requests, statuses, error)
      import :: mlacs_request, mlacs_status
      integer, intent(in) :: count
      type(mlacs_request), intent(inout) :: requests(*)
      type(mlacs_status), intent(out), optional :: statuses(*)
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_waitany(count, requests, index, status, error)
      import :: mlacs_request, mlacs_status
      integer, intent(in) :: count
      type(mlacs_request), intent(inout) :: requests(*)
      integer, intent(out) :: index
      type(mlacs_status), intent(out), optional :: status
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_testany(count, requests, index, flag, status, error)
      import :: mlacs_request, mlacs_status
      integer, intent(in) :: count
      type(mlacs_request), intent(inout) :: requests(*)
      integer, intent(out) :: index
      logical, intent(out) :: flag
      type(mlacs_status), intent(out), optional :: status
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_cancel(request, error)
      import :: mlacs_request
      type(mlacs_request), intent(inout) :: request
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_probe(rsrc, csrc, tag, comm, status, error)
      import :: mlacs_status
      integer, intent(in) :: rsrc, csrc, tag, comm
      type(mlacs_status), intent(out), optional :: status
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_iprobe(rsrc, csrc, tag, comm, flag, status, error)
      import :: mlacs_status
      integer, intent(in) :: rsrc, csrc, tag, comm
      logical, intent(out) :: flag
      type(mlacs_status), intent(out), optional :: status
      integer, intent(out), optional :: error
    end subroutine

    ! Collective.
    subroutine mlacs_bcast(a, lda, m, n, datatype, rroot, croot, comm, error)
      type(*) :: a(*)
      integer, intent(in) :: lda, m, n, datatype, rroot, croot, comm
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_bcast_trap(a, lda, m, n, uplo, diag, datatype, rroot, croot, comm, &
        error)
      type(*) :: a(*)
      integer, intent(in) :: lda, m, n
      character(len=1), intent(in) :: uplo, diag
      integer, intent(in) :: datatype, rroot, croot, comm
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_reduce_sum(a, b, ldab, m, n, datatype, rroot, croot, comm, error)
      type(*), intent(in) :: a(*)
      type(*) :: b(*)
      integer, intent(in) :: ldab, m, n, datatype, rroot, croot, comm
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_allreduce_sum(a, b, ldab, m, n, datatype, comm, error)
      type(*), intent(in) :: a(*)
      type(*) :: b(*)
      integer, intent(in) :: ldab, m, n, datatype, comm
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_reduce_maxloc(a, b, ldab, m, n, ranks, ldia, datatype, rroot, croot, &
        comm, error)
      type(*), intent(in) :: a(*)
      type(*) :: b(*)
      integer, intent(in) :: ldab, m, n
      integer, optional :: ranks(*)
      integer, intent(in) :: ldia, datatype, rroot, croot, comm
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_allreduce_maxloc(a, b, ldab, m, n, ranks, ldia, datatype, comm, error)
      type(*), intent(in) :: a(*)
      type(*) :: b(*)
      integer, intent(in) :: ldab, m, n
      integer, optional :: ranks(*)
      integer, intent(in) :: ldia, datatype, comm
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_reduce_minloc(a, b, ldab, m, n, ranks, ldia, datatype, rroot, croot, &
        comm, error)
      type(*), intent(in) :: a(*)
      type(*) :: b(*)
      integer, intent(in) :: ldab, m, n
      integer, optional :: ranks(*)
      integer, intent(in) :: ldia, datatype, rroot, croot, comm
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_allreduce_minloc(a, b, ldab, m, n, ranks, ldia, datatype, comm, error)
      type(*), intent(in) :: a(*)
      type(*) :: b(*)
      integer, intent(in) :: ldab, m, n
      integer, optional :: ranks(*)
      integer, intent(in) :: ldia, datatype, comm
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_reduce_maxabsloc(a, b, ldab, m, n, ranks, ldia, datatype, rroot, &
        croot, comm, error)
      type(*), intent(in) :: a(*)
      type(*) :: b(*)
      integer, intent(in) :: ldab, m, n
      integer, optional :: ranks(*)
      integer, intent(in) :: ldia, datatype, rroot, croot, comm
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_allreduce_maxabsloc(a, b, ldab, m, n, ranks, ldia, datatype, comm, &
        error)
      type(*), intent(in) :: a(*)
      type(*) :: b(*)
      integer, intent(in) :: ldab, m, n
      integer, optional :: ranks(*)
      integer, intent(in) :: ldia, datatype, comm
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_reduce_minabsloc(a, b, ldab, m, n, ranks, ldia, datatype, rroot, &
        croot, comm, error)
      type(*), intent(in) :: a(*)
      type(*) :: b(*)
      integer, intent(in) :: ldab, m, n
      integer, optional :: ranks(*)
      integer, intent(in) :: ldia, datatype, rroot, croot, comm
      integer, intent(out), optional :: error
    end subroutine
    subroutine mlacs_allreduce_minabsloc(a, b, ldab, m, n, ranks, ldia, datatype, comm, &
        error)
      type(*), intent(in) :: a(*)
      type(*) :: b(*)
      integer, intent(in) :: ldab, m, n
      integer, optional :: ranks(*)
      integer, intent(in) :: ldia, datatype, comm
      integer, intent(out), optional :: error
    end subroutine
  end interface
end module
