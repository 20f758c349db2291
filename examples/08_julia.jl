# SPDX-License-Identifier: BSD-3-Clause
# Factors new values on the pattern of a SparseMatrixCSC, solves for several vectors, and compares with CHOLMOD.
using LinearAlgebra, SparseArrays

const library = get(ENV, "ESPALIER_LIBRARY", "libespalier.so.0") # path of the library, unless the loader finds it

mutable struct Factor
    handle::Ptr{Cvoid}
    n::Int
    entries::Int
end

# Throws an exception with the message of the library if `code` is a failure.
function check(code, bad_column = 0)
    code == 4 && throw(PosDefException(bad_column))
    code == 0 || error(unsafe_string(@ccall library.espalier_last_error()::Cstring))
end

# The library accepts Julia's offsets (64 bits, counted from 1). Rows are converted to 32 bits.
function Factor(A::SparseMatrixCSC{Float64,Int64}, options::Vector{String})
    n, rows, analysis, factor = LinearAlgebra.checksquare(A), Int32.(A.rowval), Ref(C_NULL), Ref(C_NULL)
    check(@ccall library.espalier_analyze(n::Int64, A.colptr::Ptr{Int64}, rows::Ptr{Int32}, 1::Cint, 'F'::Cchar,
                                          options::Ptr{Cstring}, analysis::Ptr{Ptr{Cvoid}})::Cint)
    code = @ccall library.espalier_factor_create(analysis[]::Ptr{Cvoid}, options::Ptr{Cstring}, factor::Ptr{Ptr{Cvoid}})::Cint
    @ccall library.espalier_analysis_free(analysis::Ptr{Ptr{Cvoid}})::Cvoid
    check(code)
    free(f) = @ccall library.espalier_factor_free(Ref(f.handle)::Ptr{Ptr{Cvoid}})::Cvoid
    return finalizer(free, Factor(factor[], n, nnz(A)))
end

function factorize!(f::Factor, A::SparseMatrixCSC{Float64,Int64})
    nnz(A) == f.entries || throw(DimensionMismatch("the matrix has $(nnz(A)) entries, the pattern $(f.entries)"))
    column = Ref{Int64}(0)
    code = @ccall library.espalier_factorize(f.handle::Ptr{Cvoid}, A.nzval::Ptr{Float64}, column::Ptr{Int64})::Cint
    check(code, column[])
end

function Base.:\(f::Factor, b::VecOrMat{Float64})
    size(b, 1) == f.n || throw(DimensionMismatch("b has $(size(b, 1)) rows, the matrix $(f.n)"))
    x = similar(b)
    check(@ccall library.espalier_solve(f.handle::Ptr{Cvoid}, 0::Cint, size(b, 2)::Int64, b::Ptr{Float64}, f.n::Int64,
                                        x::Ptr{Float64}, f.n::Int64, C_NULL::Ptr{Float64})::Cint)
    return x
end

line = spdiagm(-1 => fill(-1.0, 59), 0 => fill(2.0, 60), 1 => fill(-1.0, 59))
plate = kron(line, sparse(1.0I, 60, 60)) + kron(sparse(1.0I, 60, 60), line)
b = [sin(i * j) for i in 1:3600, j in 1:3]
factor = Factor(plate, ["ordering=amd", "workers=2"])
for step in (1.0, 10.0, 100.0)
    A = I + step * plate
    factorize!(factor, A)
    x = factor \ b
    residual, difference = norm(A * x - b) / norm(b), norm(x - cholesky(A) \ b) / norm(x)
    println("step $step: residual $residual, difference from CHOLMOD $difference")
    max(residual, difference) < 1e-12 || exit(1)
end
