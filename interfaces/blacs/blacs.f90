! Explicit interfaces of the BLACS for Fortran: `use blacs`. Number, order and
! type of all scalar arguments are checked by the compiler; what the routines
! do is written in openblacs/blacs.h.
!
! A matrix may be a scalar, an array of any rank, or an array element that the
! matrix starts at, as with the routines' traditional implicit interfaces. The
! standard has no way to say this without an array descriptor, which the
! routines' binary interface does not have, so the matrix arguments carry two
! directives: IGNORE_TKR(R) (Intel, NVIDIA, Cray, flang) waives the rank alone,
! so the type is still checked; gfortran has only NO_ARG_CHECK, which waives
! the type too. Arrays that are not contiguous are copied in and out. ra and ca
! have no intent, so that a constant may stand for them when ldia is -1; so do rsrc and csrc of
! point to point, which are written to where rsrc is -1.
module blacs
  implicit none

  ! The job and the process grids.
  interface
    subroutine blacs_pinfo(mypnum, nprocs)
      integer, intent(out) :: mypnum, nprocs
    end subroutine
    subroutine blacs_setup(mypnum, nprocs)
      integer, intent(inout) :: mypnum, nprocs
    end subroutine
    subroutine blacs_get(context, what, val)
      integer, intent(in) :: context, what
      integer, intent(inout) :: val(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: val
!DIR$ IGNORE_TKR(R) val
    end subroutine
    subroutine blacs_set(context, what, val)
      integer, intent(in) :: context, what
      integer, intent(in) :: val(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: val
!DIR$ IGNORE_TKR(R) val
    end subroutine
    subroutine blacs_gridinit(context, order, nprow, npcol)
      integer, intent(inout) :: context
      character(*), intent(in) :: order
      integer, intent(in) :: nprow, npcol
    end subroutine
    subroutine blacs_gridmap(context, usermap, ldumap, nprow, npcol)
      integer, intent(inout) :: context
      integer, intent(in) :: usermap(*), ldumap, nprow, npcol
!GCC$ ATTRIBUTES NO_ARG_CHECK :: usermap
!DIR$ IGNORE_TKR(R) usermap
    end subroutine
    subroutine blacs_gridexit(context)
      integer, intent(in) :: context
    end subroutine
    subroutine blacs_gridinfo(context, nprow, npcol, myrow, mycol)
      integer, intent(in) :: context
      integer, intent(out) :: nprow, npcol, myrow, mycol
    end subroutine
    integer function blacs_pnum(context, prow, pcol)
      integer, intent(in) :: context, prow, pcol
    end function
    subroutine blacs_pcoord(context, pnum, prow, pcol)
      integer, intent(in) :: context, pnum
      integer, intent(out) :: prow, pcol
    end subroutine
    subroutine blacs_barrier(context, scope)
      integer, intent(in) :: context
      character(*), intent(in) :: scope
    end subroutine
    subroutine blacs_freebuff(context, wait)
      integer, intent(in) :: context, wait
    end subroutine
    subroutine blacs_abort(context, code)
      integer, intent(in) :: context, code
    end subroutine
    subroutine blacs_exit(notdone)
      integer, intent(in) :: notdone
    end subroutine
  end interface

  ! System contexts, message ids, times.
  interface
    integer function sys2blacs_handle(comm)
      integer, intent(in) :: comm
    end function
    integer function blacs2sys_handle(handle)
      integer, intent(in) :: handle
    end function
    subroutine free_blacs_system_handle(handle)
      integer, intent(in) :: handle
    end subroutine
    integer function ksendid(context, rdest, cdest)
      integer, intent(in) :: context, rdest, cdest
    end function
    integer function krecvid(context, rsrc, csrc)
      integer, intent(in) :: context, rsrc, csrc
    end function
    integer function kbsid(context, scope)
      integer, intent(in) :: context
      character(*), intent(in) :: scope
    end function
    integer function kbrid(context, scope, rsrc, csrc)
      integer, intent(in) :: context, rsrc, csrc
      character(*), intent(in) :: scope
    end function
    double precision function dcputime00()
    end function
    double precision function dwalltime00()
    end function
  end interface

  ! Point to point: send and receive, general and trapezoidal.
  interface
    subroutine igesd2d(context, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      integer, intent(in) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine sgesd2d(context, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      real, intent(in) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine dgesd2d(context, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      double precision, intent(in) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine cgesd2d(context, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      complex, intent(in) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine zgesd2d(context, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      complex(kind(1d0)), intent(in) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine

    subroutine igerv2d(context, m, n, a, lda, rsrc, csrc)
      integer, intent(in) :: context, m, n, lda
      integer :: rsrc, csrc
      integer, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine sgerv2d(context, m, n, a, lda, rsrc, csrc)
      integer, intent(in) :: context, m, n, lda
      integer :: rsrc, csrc
      real, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine dgerv2d(context, m, n, a, lda, rsrc, csrc)
      integer, intent(in) :: context, m, n, lda
      integer :: rsrc, csrc
      double precision, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine cgerv2d(context, m, n, a, lda, rsrc, csrc)
      integer, intent(in) :: context, m, n, lda
      integer :: rsrc, csrc
      complex, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine zgerv2d(context, m, n, a, lda, rsrc, csrc)
      integer, intent(in) :: context, m, n, lda
      integer :: rsrc, csrc
      complex(kind(1d0)), intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine

    subroutine itrsd2d(context, uplo, diag, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      character(*), intent(in) :: uplo, diag
      integer, intent(in) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine strsd2d(context, uplo, diag, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      character(*), intent(in) :: uplo, diag
      real, intent(in) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine dtrsd2d(context, uplo, diag, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      character(*), intent(in) :: uplo, diag
      double precision, intent(in) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine ctrsd2d(context, uplo, diag, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      character(*), intent(in) :: uplo, diag
      complex, intent(in) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine ztrsd2d(context, uplo, diag, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      character(*), intent(in) :: uplo, diag
      complex(kind(1d0)), intent(in) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine

    subroutine itrrv2d(context, uplo, diag, m, n, a, lda, rsrc, csrc)
      integer, intent(in) :: context, m, n, lda
      integer :: rsrc, csrc
      character(*), intent(in) :: uplo, diag
      integer, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine strrv2d(context, uplo, diag, m, n, a, lda, rsrc, csrc)
      integer, intent(in) :: context, m, n, lda
      integer :: rsrc, csrc
      character(*), intent(in) :: uplo, diag
      real, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine dtrrv2d(context, uplo, diag, m, n, a, lda, rsrc, csrc)
      integer, intent(in) :: context, m, n, lda
      integer :: rsrc, csrc
      character(*), intent(in) :: uplo, diag
      double precision, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine ctrrv2d(context, uplo, diag, m, n, a, lda, rsrc, csrc)
      integer, intent(in) :: context, m, n, lda
      integer :: rsrc, csrc
      character(*), intent(in) :: uplo, diag
      complex, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine ztrrv2d(context, uplo, diag, m, n, a, lda, rsrc, csrc)
      integer, intent(in) :: context, m, n, lda
      integer :: rsrc, csrc
      character(*), intent(in) :: uplo, diag
      complex(kind(1d0)), intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
  end interface

  ! Broadcast: send and receive, general and trapezoidal.
  interface
    subroutine igebs2d(context, scope, top, m, n, a, lda)
      integer, intent(in) :: context, m, n, lda
      character(*), intent(in) :: scope, top
      integer, intent(in) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine sgebs2d(context, scope, top, m, n, a, lda)
      integer, intent(in) :: context, m, n, lda
      character(*), intent(in) :: scope, top
      real, intent(in) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine dgebs2d(context, scope, top, m, n, a, lda)
      integer, intent(in) :: context, m, n, lda
      character(*), intent(in) :: scope, top
      double precision, intent(in) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine cgebs2d(context, scope, top, m, n, a, lda)
      integer, intent(in) :: context, m, n, lda
      character(*), intent(in) :: scope, top
      complex, intent(in) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine zgebs2d(context, scope, top, m, n, a, lda)
      integer, intent(in) :: context, m, n, lda
      character(*), intent(in) :: scope, top
      complex(kind(1d0)), intent(in) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine

    subroutine igebr2d(context, scope, top, m, n, a, lda, rsrc, csrc)
      integer, intent(in) :: context, m, n, lda, rsrc, csrc
      character(*), intent(in) :: scope, top
      integer, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine sgebr2d(context, scope, top, m, n, a, lda, rsrc, csrc)
      integer, intent(in) :: context, m, n, lda, rsrc, csrc
      character(*), intent(in) :: scope, top
      real, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine dgebr2d(context, scope, top, m, n, a, lda, rsrc, csrc)
      integer, intent(in) :: context, m, n, lda, rsrc, csrc
      character(*), intent(in) :: scope, top
      double precision, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine cgebr2d(context, scope, top, m, n, a, lda, rsrc, csrc)
      integer, intent(in) :: context, m, n, lda, rsrc, csrc
      character(*), intent(in) :: scope, top
      complex, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine zgebr2d(context, scope, top, m, n, a, lda, rsrc, csrc)
      integer, intent(in) :: context, m, n, lda, rsrc, csrc
      character(*), intent(in) :: scope, top
      complex(kind(1d0)), intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine

    subroutine itrbs2d(context, scope, top, uplo, diag, m, n, a, lda)
      integer, intent(in) :: context, m, n, lda
      character(*), intent(in) :: scope, top, uplo, diag
      integer, intent(in) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine strbs2d(context, scope, top, uplo, diag, m, n, a, lda)
      integer, intent(in) :: context, m, n, lda
      character(*), intent(in) :: scope, top, uplo, diag
      real, intent(in) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine dtrbs2d(context, scope, top, uplo, diag, m, n, a, lda)
      integer, intent(in) :: context, m, n, lda
      character(*), intent(in) :: scope, top, uplo, diag
      double precision, intent(in) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine ctrbs2d(context, scope, top, uplo, diag, m, n, a, lda)
      integer, intent(in) :: context, m, n, lda
      character(*), intent(in) :: scope, top, uplo, diag
      complex, intent(in) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine ztrbs2d(context, scope, top, uplo, diag, m, n, a, lda)
      integer, intent(in) :: context, m, n, lda
      character(*), intent(in) :: scope, top, uplo, diag
      complex(kind(1d0)), intent(in) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine

    subroutine itrbr2d(context, scope, top, uplo, diag, m, n, a, lda, rsrc, csrc)
      integer, intent(in) :: context, m, n, lda, rsrc, csrc
      character(*), intent(in) :: scope, top, uplo, diag
      integer, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine strbr2d(context, scope, top, uplo, diag, m, n, a, lda, rsrc, csrc)
      integer, intent(in) :: context, m, n, lda, rsrc, csrc
      character(*), intent(in) :: scope, top, uplo, diag
      real, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine dtrbr2d(context, scope, top, uplo, diag, m, n, a, lda, rsrc, csrc)
      integer, intent(in) :: context, m, n, lda, rsrc, csrc
      character(*), intent(in) :: scope, top, uplo, diag
      double precision, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine ctrbr2d(context, scope, top, uplo, diag, m, n, a, lda, rsrc, csrc)
      integer, intent(in) :: context, m, n, lda, rsrc, csrc
      character(*), intent(in) :: scope, top, uplo, diag
      complex, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine ztrbr2d(context, scope, top, uplo, diag, m, n, a, lda, rsrc, csrc)
      integer, intent(in) :: context, m, n, lda, rsrc, csrc
      character(*), intent(in) :: scope, top, uplo, diag
      complex(kind(1d0)), intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
  end interface

  ! Combine: sum, largest and smallest absolute value.
  interface
    subroutine igsum2d(context, scope, top, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      character(*), intent(in) :: scope, top
      integer, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine sgsum2d(context, scope, top, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      character(*), intent(in) :: scope, top
      real, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine dgsum2d(context, scope, top, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      character(*), intent(in) :: scope, top
      double precision, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine cgsum2d(context, scope, top, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      character(*), intent(in) :: scope, top
      complex, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine zgsum2d(context, scope, top, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      character(*), intent(in) :: scope, top
      complex(kind(1d0)), intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine

    subroutine igamx2d(context, scope, top, m, n, a, lda, ra, ca, ldia, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, ldia, rdest, cdest
      character(*), intent(in) :: scope, top
      integer, intent(inout) :: a(*)
      integer :: ra(*), ca(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
!GCC$ ATTRIBUTES NO_ARG_CHECK :: ra
!DIR$ IGNORE_TKR(R) ra
!GCC$ ATTRIBUTES NO_ARG_CHECK :: ca
!DIR$ IGNORE_TKR(R) ca
    end subroutine
    subroutine sgamx2d(context, scope, top, m, n, a, lda, ra, ca, ldia, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, ldia, rdest, cdest
      character(*), intent(in) :: scope, top
      real, intent(inout) :: a(*)
      integer :: ra(*), ca(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
!GCC$ ATTRIBUTES NO_ARG_CHECK :: ra
!DIR$ IGNORE_TKR(R) ra
!GCC$ ATTRIBUTES NO_ARG_CHECK :: ca
!DIR$ IGNORE_TKR(R) ca
    end subroutine
    subroutine dgamx2d(context, scope, top, m, n, a, lda, ra, ca, ldia, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, ldia, rdest, cdest
      character(*), intent(in) :: scope, top
      double precision, intent(inout) :: a(*)
      integer :: ra(*), ca(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
!GCC$ ATTRIBUTES NO_ARG_CHECK :: ra
!DIR$ IGNORE_TKR(R) ra
!GCC$ ATTRIBUTES NO_ARG_CHECK :: ca
!DIR$ IGNORE_TKR(R) ca
    end subroutine
    subroutine cgamx2d(context, scope, top, m, n, a, lda, ra, ca, ldia, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, ldia, rdest, cdest
      character(*), intent(in) :: scope, top
      complex, intent(inout) :: a(*)
      integer :: ra(*), ca(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
!GCC$ ATTRIBUTES NO_ARG_CHECK :: ra
!DIR$ IGNORE_TKR(R) ra
!GCC$ ATTRIBUTES NO_ARG_CHECK :: ca
!DIR$ IGNORE_TKR(R) ca
    end subroutine
    subroutine zgamx2d(context, scope, top, m, n, a, lda, ra, ca, ldia, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, ldia, rdest, cdest
      character(*), intent(in) :: scope, top
      complex(kind(1d0)), intent(inout) :: a(*)
      integer :: ra(*), ca(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
!GCC$ ATTRIBUTES NO_ARG_CHECK :: ra
!DIR$ IGNORE_TKR(R) ra
!GCC$ ATTRIBUTES NO_ARG_CHECK :: ca
!DIR$ IGNORE_TKR(R) ca
    end subroutine

    subroutine igamn2d(context, scope, top, m, n, a, lda, ra, ca, ldia, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, ldia, rdest, cdest
      character(*), intent(in) :: scope, top
      integer, intent(inout) :: a(*)
      integer :: ra(*), ca(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
!GCC$ ATTRIBUTES NO_ARG_CHECK :: ra
!DIR$ IGNORE_TKR(R) ra
!GCC$ ATTRIBUTES NO_ARG_CHECK :: ca
!DIR$ IGNORE_TKR(R) ca
    end subroutine
    subroutine sgamn2d(context, scope, top, m, n, a, lda, ra, ca, ldia, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, ldia, rdest, cdest
      character(*), intent(in) :: scope, top
      real, intent(inout) :: a(*)
      integer :: ra(*), ca(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
!GCC$ ATTRIBUTES NO_ARG_CHECK :: ra
!DIR$ IGNORE_TKR(R) ra
!GCC$ ATTRIBUTES NO_ARG_CHECK :: ca
!DIR$ IGNORE_TKR(R) ca
    end subroutine
    subroutine dgamn2d(context, scope, top, m, n, a, lda, ra, ca, ldia, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, ldia, rdest, cdest
      character(*), intent(in) :: scope, top
      double precision, intent(inout) :: a(*)
      integer :: ra(*), ca(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
!GCC$ ATTRIBUTES NO_ARG_CHECK :: ra
!DIR$ IGNORE_TKR(R) ra
!GCC$ ATTRIBUTES NO_ARG_CHECK :: ca
!DIR$ IGNORE_TKR(R) ca
    end subroutine
    subroutine cgamn2d(context, scope, top, m, n, a, lda, ra, ca, ldia, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, ldia, rdest, cdest
      character(*), intent(in) :: scope, top
      complex, intent(inout) :: a(*)
      integer :: ra(*), ca(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
!GCC$ ATTRIBUTES NO_ARG_CHECK :: ra
!DIR$ IGNORE_TKR(R) ra
!GCC$ ATTRIBUTES NO_ARG_CHECK :: ca
!DIR$ IGNORE_TKR(R) ca
    end subroutine
    subroutine zgamn2d(context, scope, top, m, n, a, lda, ra, ca, ldia, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, ldia, rdest, cdest
      character(*), intent(in) :: scope, top
      complex(kind(1d0)), intent(inout) :: a(*)
      integer :: ra(*), ca(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
!GCC$ ATTRIBUTES NO_ARG_CHECK :: ra
!DIR$ IGNORE_TKR(R) ra
!GCC$ ATTRIBUTES NO_ARG_CHECK :: ca
!DIR$ IGNORE_TKR(R) ca
    end subroutine
  end interface
end module blacs
