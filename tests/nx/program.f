C     A PROGRAM FOR NX IN FORTRAN 77: EVERY GLOBAL OPERATION AGAINST WHAT
C     ONE PROCESS MAKES OF ALL NODES' VECTORS.
      PROGRAM NXPROG
      INTEGER N
      PARAMETER (N = 500)
      INTEGER MYNODE, NUMNODES, INFOCOUNT, INFONODE, INFOTYPE
      DOUBLE PRECISION DCLOCK, D(N), DW(N), T, PAIR(2), PWORK(2)
      REAL S(N), SW(N)
      INTEGER IX(N), IW(N), OP, I, K, ME, P, BAD, GOOD, LENS(64), GOT
      INTEGER LIST(64), COUNT, V, E, Z
      CHARACTER*1 C(4), ALL(256)
      EXTERNAL LARGER
      ME = MYNODE()
      P = NUMNODES()
      T = DCLOCK()
      GOOD = 0
      BAD = 0
      DO 40 OP = 1, 10
         DO 10 I = 1, N
            D(I) = E(ME, I)
            S(I) = REAL(E(ME, I))
            IX(I) = E(ME, I)
   10    CONTINUE
         IF (OP .EQ. 1) THEN
            CALL GDSUM(D, N, DW)
            CALL GSSUM(S, N, SW)
            CALL GISUM(IX, N, IW)
         ELSE IF (OP .EQ. 2) THEN
            CALL GDPROD(D, N, DW)
            CALL GSPROD(S, N, SW)
            CALL GIPROD(IX, N, IW)
         ELSE IF (OP .EQ. 3) THEN
            CALL GDHIGH(D, N, DW)
            CALL GSHIGH(S, N, SW)
            CALL GIHIGH(IX, N, IW)
         ELSE IF (OP .EQ. 4) THEN
            CALL GDLOW(D, N, DW)
            CALL GSLOW(S, N, SW)
            CALL GILOW(IX, N, IW)
         ELSE IF (OP .EQ. 5) THEN
            CALL GIAND(IX, N, IW)
         ELSE IF (OP .EQ. 6) THEN
            CALL GIOR(IX, N, IW)
         ELSE IF (OP .EQ. 7) THEN
            CALL GIXOR(IX, N, IW)
         ELSE IF (OP .EQ. 8) THEN
            CALL GLAND(IX, N, IW)
         ELSE IF (OP .EQ. 9) THEN
            CALL GLOR(IX, N, IW)
         ELSE
            CALL GLXOR(IX, N, IW)
         END IF
         DO 30 I = 1, N
            V = E(0, I)
            DO 20 K = 1, P - 1
               IF (OP .EQ. 1) V = V + E(K, I)
               IF (OP .EQ. 2) V = V * E(K, I)
               IF (OP .EQ. 3) V = MAX(V, E(K, I))
               IF (OP .EQ. 4) V = MIN(V, E(K, I))
               IF (OP .EQ. 5) V = IAND(V, E(K, I))
               IF (OP .EQ. 6) V = IOR(V, E(K, I))
               IF (OP .EQ. 7) V = IEOR(V, E(K, I))
               IF (OP .EQ. 8) V = Z(V) * Z(E(K, I))
               IF (OP .EQ. 9) V = MAX(Z(V), Z(E(K, I)))
               IF (OP .EQ. 10) V = ABS(Z(V) - Z(E(K, I)))
   20       CONTINUE
            IF (P .GT. 1 .AND. IX(I) .NE. V) BAD = BAD + 1
            IF (OP .LE. 4 .AND. NINT(D(I)) .NE. V) BAD = BAD + 1
            IF (OP .LE. 4 .AND. NINT(S(I)) .NE. V) BAD = BAD + 1
   30    CONTINUE
         GOOD = GOOD + 1
   40 CONTINUE
      PAIR(1) = MOD(ME * 3 + 1, P)
      PAIR(2) = ME
      CALL GOPF(PAIR, 16, PWORK, LARGER)
      V = 0
      DO 50 K = 1, P - 1
         IF (MOD(K * 3 + 1, P) .GT. MOD(V * 3 + 1, P)) V = K
   50 CONTINUE
      IF (NINT(PAIR(2)) .NE. V) BAD = BAD + 1
      DO 60 K = 1, P
         LENS(K) = MOD(K, 3) + 1
         LIST(K) = K
   60 CONTINUE
      DO 70 I = 1, 4
         C(I) = CHAR(ICHAR('A') + ME)
   70 CONTINUE
      DO 90 OP = 1, 2
         IF (OP .EQ. 1) CALL GCOLX(C, LENS, ALL)
         IF (OP .EQ. 2) CALL GCOL(C, LENS(ME + 1), ALL, 256, GOT)
         V = 0
         DO 80 K = 1, P
            IF (ALL(V + 1) .NE. CHAR(ICHAR('A') + K - 1)) BAD = BAD + 1
            V = V + LENS(K)
   80    CONTINUE
   90 CONTINUE
      IF (GOT .NE. V) BAD = BAD + 1
      COUNT = P - 1
      V = 42
      IF (ME .EQ. 0) CALL GSENDX(9, V, 4, LIST, COUNT)
      V = 0
      IF (ME .GT. 0) THEN
         CALL CRECV(9, V, 4)
         IF (V .NE. 42 .OR. INFOCOUNT() .NE. 4) BAD = BAD + 1
         IF (INFONODE() .NE. 0 .OR. INFOTYPE() .NE. 9) BAD = BAD + 1
      END IF
      V = 5 + ME
      CALL CSEND(1, V, 4, MOD(ME + 1, P), 0)
      CALL CRECV(1, V, 4)
      IF (V .NE. 5 + MOD(ME + P - 1, P)) BAD = BAD + 1
      CALL GSYNC()
      IF (DCLOCK() .LT. T) BAD = BAD + 1
      GOOD = GOOD + 6
      CALL GISUM(BAD, 1, IW)
      CALL GISUM(GOOD, 1, IW)
      IF (ME .EQ. 0) PRINT '(I0, A, I0, A)', GOOD, ' passed, ', BAD,
     $   ' failed'
      END

      INTEGER FUNCTION E(K, I)
      INTEGER K, I
      E = MOD(K * 7 + I * 3, 5) - 1
      END

      INTEGER FUNCTION Z(V)
      INTEGER V
      Z = 0
      IF (V .NE. 0) Z = 1
      END

      SUBROUTINE LARGER(X, WORK)
      DOUBLE PRECISION X(2), WORK(2)
      IF (WORK(1) .GT. X(1) .OR. (.NOT. WORK(1) .LT. X(1) .AND.
     $    WORK(2) .LT. X(2))) THEN
         X(1) = WORK(1)
         X(2) = WORK(2)
      END IF
      END
