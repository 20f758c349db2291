;; SPDX-License-Identifier: BSD-3-Clause
;; Builds Espalier for Guix from this checkout:
;;   guix build -L tools/packaging/guix espalier          # or espalier-without-mpi, python-espalier
;; Guix has no CUDA packages.
(define-module (espalier)
  #:use-module (gnu packages)
  #:use-module (guix base16)
  #:use-module (guix build-system cmake)
  #:use-module (guix build-system gnu)
  #:use-module (guix download)
  #:use-module (guix gexp)
  #:use-module (guix git-download)
  #:use-module ((guix licenses) #:prefix license:)
  #:use-module (guix packages)
  #:use-module (guix utils)
  #:use-module (ice-9 ftw)
  #:use-module (ice-9 textual-ports))

(define %checkout (dirname (dirname (dirname (current-source-directory)))))
(define %starpu-folder (string-append %checkout "/tools/starpu"))

(define (starpu-patches)
  "Return the patches that tools/setup.sh applies, too."
  (map (lambda (name) (local-file (string-append %starpu-folder "/" name)))
       (scandir %starpu-folder (lambda (name) (string-suffix? ".patch" name)))))

(define (starpu-options)
  "Return the options that tools/setup.sh configures StarPU with, too."
  (string-tokenize
   (call-with-input-file (string-append %starpu-folder "/configure.options") get-string-all)))

(define (packages-named . names)
  "Return the packages with these names. A name may have an output after a colon."
  (map (compose list specification->package+output) names))

(define starpu-for-espalier
  (package
    (name "starpu-for-espalier")
    (version "1.4.10")
    (source
     (origin
       (method url-fetch)
       (uri (string-append "https://files.inria.fr/starpu/starpu-" version
                           "/starpu-" version ".tar.gz"))
       (hash (content-hash
              (base16-string->bytevector
               "8f35f59c337ba109e5ef5fb4f6331b4845d524921e184fcc89f2ecac60faaf03")
              sha256))
       (patches (starpu-patches))))
    (build-system gnu-build-system)
    (arguments
     (list #:configure-flags
           #~(append (list #$@(starpu-options))
                     '("--enable-maxcpus=256" "--disable-cuda"))
           #:tests? #f))                ; tests are not built
    (native-inputs (packages-named "pkg-config"))
    (propagated-inputs (packages-named "hwloc:lib" "openmpi"))
    (home-page "https://starpu.gitlabpages.inria.fr/")
    (synopsis "Run-time system for graphs of tasks, as Espalier needs it")
    (description "StarPU runs graphs of tasks on the cores and accelerators of a
machine.  This one has the patches of Espalier.")
    (license license:lgpl2.1+)))

(define-public espalier
  (package
    (name "espalier")
    (version "0.1.0")
    (source (local-file %checkout "espalier-checkout"
                        #:recursive? #t
                        #:select? (or (git-predicate %checkout) (const #t))))
    (build-system cmake-build-system)
    (arguments
     (list #:cmake (specification->package "cmake")
           #:configure-flags
           #~(list "-DCMAKE_UNITY_BUILD=ON"
                   "-DESPALIER_TESTS=OFF"
                   "-DESPALIER_EXAMPLES=OFF"
                   (string-append "-DESPALIER_STARPU_PREFIX="
                                  #$(this-package-input "starpu-for-espalier"))
                   (string-append "-DESPALIER_BLAS="
                                  #$(this-package-input "openblas")
                                  "/lib/libopenblas.so"))
           #:phases
           #~(modify-phases %standard-phases
               (replace 'check
                 (lambda* (#:key tests? #:allow-other-keys)
                   (when tests?
                     (setenv "HOME" (getcwd)) ; StarPU keeps its measurements there
                     (invoke "./espalier" "solve" "laplace3d:10" "--workers" "1")))))))
    (native-inputs (packages-named "pkg-config"))
    (inputs
     (append (list starpu-for-espalier)
             (packages-named "cli11" "fmt" "hwloc:lib" "metis" "nlohmann-json"
                             "openblas" "openmpi" "pt-scotch" "suitesparse" "zlib")))
    (home-page #f)
    (synopsis "Sparse Cholesky factorization over StarPU")
    (description "Espalier solves @math{A x = b} for sparse, symmetric positive
definite @math{A}, by a supernodal Cholesky factorization whose tasks StarPU runs
on the cores and ranks of a machine.")
    (license license:bsd-3)))

(define-public espalier-without-mpi
  (package
    (inherit espalier)
    (name "espalier-without-mpi")
    (arguments
     (substitute-keyword-arguments (package-arguments espalier)
       ((#:configure-flags flags) #~(cons "-DESPALIER_MPI=OFF" #$flags))
       ((#:phases phases) #~(modify-phases #$phases (delete 'check))))) ; no program
    (inputs (modify-inputs (package-inputs espalier)
              (delete "cli11" "openmpi" "pt-scotch")
              (append (specification->package "scotch"))))
    (synopsis "Sparse Cholesky factorization over StarPU, the library alone")))

(define-public python-espalier
  (package
    (inherit espalier)
    (name "python-espalier")
    (arguments
     (substitute-keyword-arguments (package-arguments espalier)
       ((#:configure-flags flags)
        #~(append (list "-DESPALIER_PYTHON=ON"
                        (string-append "-DESPALIER_PYTHON_FOLDER=lib/python"
                                       #$(version-major+minor
                                          (package-version (this-package-input "python")))
                                       "/site-packages")
                        (string-append "-DPython_EXECUTABLE="
                                       #$(this-package-input "python") "/bin/python3"))
                  #$flags))))
    (native-inputs (modify-inputs (package-native-inputs espalier)
                     (append (specification->package "python-nanobind"))))
    (inputs (modify-inputs (package-inputs espalier)
              (append (specification->package "python"))))
    (propagated-inputs (packages-named "python-numpy" "python-scipy"))
    (synopsis "Sparse Cholesky factorization over StarPU, with the module for Python")))

espalier
