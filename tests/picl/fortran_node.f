C     A node in the Fortran of PICL's time: no module, fixed form. It doubles
C     its part of a vector, and combines in the host's topologies.
      PROGRAM NODE
      INTEGER P, ME, HOST, I, NUSED, TOP, ORD, DIR, BEST
      REAL PART(4)
      DOUBLE PRECISION SUMS(2), BEGUN, CLOCK0
      INTEGER PROBE0
      EXTERNAL LARGER, CLOCK0, PROBE0
      CALL TRACELEVEL(3, 3, 3)
      CALL TRACENODE(100000, 0, 0)
      BEGUN = CLOCK0()
      CALL OPEN0(P, ME, HOST)
      CALL RECV0(PART, 16, 1)
      DO 10 I = 1, 4
        PART(I) = 2 * PART(I)
   10 CONTINUE
      CALL SYNC0()
      CALL SEND0(PART, 16, 2, HOST)
      I = 33
      IF (ME .EQ. 0) CALL SEND0(I, 4, 3, HOST)
   20 CALL SETARC0(NUSED, TOP, ORD, DIR)
      IF (NUSED .EQ. 0) GO TO 30
      CALL BCAST0(SUMS, 16, 4, HOST)
      SUMS(2) = SUMS(2) * (ME + 1)
      CALL GSUM0(SUMS, 2, 5, 5, HOST)
      BEST = ME
      CALL GCOMB0(BEST, 1, 2, 6, HOST, LARGER)
      CALL BARRIER0()
      GO TO 20
   30 IF (CLOCK0() .LT. BEGUN) CALL MESSAGE0('FAIL: the clock')
      IF (PROBE0(-1) .NE. 0) CALL MESSAGE0('FAIL: a message')
      IF (ME .EQ. 0) CALL MESSAGE0('a line of node 0     ')
      CALL CLOSE0(0)
      END

      SUBROUTINE LARGER(TO, WITH, ITEMS, DTYPE)
      INTEGER ITEMS, DTYPE, TO(*), WITH(*), I
      DO 40 I = 1, ITEMS
        IF (DTYPE .EQ. 2 .AND. WITH(I) .GT. TO(I)) TO(I) = WITH(I)
   40 CONTINUE
      END
