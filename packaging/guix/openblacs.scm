;;; guix build -f packaging/guix/openblacs.scm, in the source tree
(use-modules (gnu packages gcc)
             (gnu packages maths)
             (gnu packages mpi)
             (guix build-system cmake)
             (guix gexp)
             (guix git-download)
             ((guix licenses) #:prefix license:)
             (guix packages))

(define root
  (dirname (dirname (dirname (current-filename)))))

(package
  (name "openblacs")
  (version "0.2.0")
  (source (local-file root "openblacs-checkout"
                      #:recursive? #t
                      #:select? (git-predicate root)))
  (build-system cmake-build-system)
  (arguments
   (list #:tests? #f                    ;./check is for Debian
         #:configure-flags
         #~(list "-DOPENBLACS_TESTS=OFF" "-DOPENBLACS_BENCH=OFF"
                 "-DOPENBLACS_EXAMPLES=OFF" "-DOPENBLACS_PYTHON_DIR=OFF"
                 "-DOPENBLACS_MPI=ON")))
  (native-inputs (list gfortran))
  (inputs (list openblas openmpi))
  (home-page "https://openblacs.example")
  (synopsis "Matrices communicated on process grids")
  (description
   "OpenBLACS takes the place of the BLACS under ScaLAPACK, with any MPI or with
none.  It also has the interfaces of iCC, MLACS, PICL and BSPlib.")
  (license license:bsd-3))
