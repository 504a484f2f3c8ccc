# nix-build packaging/nix, in the source tree
{ pkgs ? import <nixpkgs> { } }:

pkgs.stdenv.mkDerivation {
  pname = "openblacs";
  version = "0.2.0";
  src = pkgs.lib.cleanSource ../..;

  nativeBuildInputs = [ pkgs.cmake pkgs.gfortran ];
  buildInputs = [ pkgs.mpi pkgs.openblas ];

  cmakeFlags = [
    "-DOPENBLACS_TESTS=OFF"
    "-DOPENBLACS_BENCH=OFF"
    "-DOPENBLACS_EXAMPLES=OFF"
    "-DOPENBLACS_PYTHON_DIR=OFF"
    "-DOPENBLACS_MPI=ON"
  ];

  meta = {
    description = "Matrices communicated on process grids, with any MPI or none";
    license = pkgs.lib.licenses.bsd3;
    platforms = pkgs.lib.platforms.linux;
  };
}
