! Explicit interfaces of what goes beyond the netlib BLACS: `use blacs_extensions`. Scopes of any
! processes, the source of a wildcard receive, combines of trapezoids; what they do is written in
! openblacs/blacs_extensions.h, how matrix arguments are declared in blacs.f90. begin and finish
! of ?tuop2d may be left out where width is 1.
module blacs_extensions
  implicit none

  interface
    subroutine blacs_scope(context, n, prow, pcol, scope)
      integer, intent(in) :: context, n, prow(*), pcol(*)
      integer, intent(out) :: scope
    end subroutine
    subroutine blacs_source(context, prow, pcol)
      integer, intent(in) :: context
      integer, intent(out) :: prow, pcol
    end subroutine
    subroutine itsum2d(context, scope, top, uplo, diag, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      character(*), intent(in) :: scope, top, uplo, diag
      integer, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine stsum2d(context, scope, top, uplo, diag, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      character(*), intent(in) :: scope, top, uplo, diag
      real, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine dtsum2d(context, scope, top, uplo, diag, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      character(*), intent(in) :: scope, top, uplo, diag
      double precision, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine ctsum2d(context, scope, top, uplo, diag, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      character(*), intent(in) :: scope, top, uplo, diag
      complex, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine ztsum2d(context, scope, top, uplo, diag, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      character(*), intent(in) :: scope, top, uplo, diag
      complex(kind(1d0)), intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine itprd2d(context, scope, top, uplo, diag, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      character(*), intent(in) :: scope, top, uplo, diag
      integer, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine stprd2d(context, scope, top, uplo, diag, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      character(*), intent(in) :: scope, top, uplo, diag
      real, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine dtprd2d(context, scope, top, uplo, diag, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      character(*), intent(in) :: scope, top, uplo, diag
      double precision, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine ctprd2d(context, scope, top, uplo, diag, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      character(*), intent(in) :: scope, top, uplo, diag
      complex, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine ztprd2d(context, scope, top, uplo, diag, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      character(*), intent(in) :: scope, top, uplo, diag
      complex(kind(1d0)), intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine itmax2d(context, scope, top, uplo, diag, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      character(*), intent(in) :: scope, top, uplo, diag
      integer, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine stmax2d(context, scope, top, uplo, diag, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      character(*), intent(in) :: scope, top, uplo, diag
      real, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine dtmax2d(context, scope, top, uplo, diag, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      character(*), intent(in) :: scope, top, uplo, diag
      double precision, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine itmin2d(context, scope, top, uplo, diag, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      character(*), intent(in) :: scope, top, uplo, diag
      integer, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine stmin2d(context, scope, top, uplo, diag, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      character(*), intent(in) :: scope, top, uplo, diag
      real, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine dtmin2d(context, scope, top, uplo, diag, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      character(*), intent(in) :: scope, top, uplo, diag
      double precision, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine stnrm2d(context, scope, top, uplo, diag, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      character(*), intent(in) :: scope, top, uplo, diag
      real, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine dtnrm2d(context, scope, top, uplo, diag, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      character(*), intent(in) :: scope, top, uplo, diag
      double precision, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine ctnrm2d(context, scope, top, uplo, diag, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      character(*), intent(in) :: scope, top, uplo, diag
      complex, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine ztnrm2d(context, scope, top, uplo, diag, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      character(*), intent(in) :: scope, top, uplo, diag
      complex(kind(1d0)), intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine stksm2d(context, scope, top, uplo, diag, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      character(*), intent(in) :: scope, top, uplo, diag
      real, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine dtksm2d(context, scope, top, uplo, diag, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      character(*), intent(in) :: scope, top, uplo, diag
      double precision, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine ctksm2d(context, scope, top, uplo, diag, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      character(*), intent(in) :: scope, top, uplo, diag
      complex, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine ztksm2d(context, scope, top, uplo, diag, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      character(*), intent(in) :: scope, top, uplo, diag
      complex(kind(1d0)), intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine itxor2d(context, scope, top, uplo, diag, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      character(*), intent(in) :: scope, top, uplo, diag
      integer, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine itand2d(context, scope, top, uplo, diag, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      character(*), intent(in) :: scope, top, uplo, diag
      integer, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine itior2d(context, scope, top, uplo, diag, m, n, a, lda, rdest, cdest)
      integer, intent(in) :: context, m, n, lda, rdest, cdest
      character(*), intent(in) :: scope, top, uplo, diag
      integer, intent(inout) :: a(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine ituop2d(context, scope, top, uplo, diag, m, n, a, lda, rdest, cdest, &
        width, begin, combine, finish)
      integer, intent(in) :: context, m, n, lda, rdest, cdest, width
      character(*), intent(in) :: scope, top, uplo, diag
      integer, intent(inout) :: a(*)
      external :: begin, combine, finish
      optional :: begin, finish
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine stuop2d(context, scope, top, uplo, diag, m, n, a, lda, rdest, cdest, &
        width, begin, combine, finish)
      integer, intent(in) :: context, m, n, lda, rdest, cdest, width
      character(*), intent(in) :: scope, top, uplo, diag
      real, intent(inout) :: a(*)
      external :: begin, combine, finish
      optional :: begin, finish
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine dtuop2d(context, scope, top, uplo, diag, m, n, a, lda, rdest, cdest, &
        width, begin, combine, finish)
      integer, intent(in) :: context, m, n, lda, rdest, cdest, width
      character(*), intent(in) :: scope, top, uplo, diag
      double precision, intent(inout) :: a(*)
      external :: begin, combine, finish
      optional :: begin, finish
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine ctuop2d(context, scope, top, uplo, diag, m, n, a, lda, rdest, cdest, &
        width, begin, combine, finish)
      integer, intent(in) :: context, m, n, lda, rdest, cdest, width
      character(*), intent(in) :: scope, top, uplo, diag
      complex, intent(inout) :: a(*)
      external :: begin, combine, finish
      optional :: begin, finish
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
    subroutine ztuop2d(context, scope, top, uplo, diag, m, n, a, lda, rdest, cdest, &
        width, begin, combine, finish)
      integer, intent(in) :: context, m, n, lda, rdest, cdest, width
      character(*), intent(in) :: scope, top, uplo, diag
      complex(kind(1d0)), intent(inout) :: a(*)
      external :: begin, combine, finish
      optional :: begin, finish
!GCC$ ATTRIBUTES NO_ARG_CHECK :: a
!DIR$ IGNORE_TKR(R) a
    end subroutine
  end interface
end module blacs_extensions
