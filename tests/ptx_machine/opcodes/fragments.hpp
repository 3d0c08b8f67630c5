// Which element of a matrix a lane holds: the layouts of ldmatrix and mma (PTX ISA, "Matrix Fragments for mma").
#pragma once

namespace ptx_machine::fragments {

struct place {
  int row, column;
};

/// A of m16n8k8 and m16n8k16 with elements of 16 bits: element i of lane's a0, a1, ...
constexpr place a_16(int lane, int i) { return {lane / 4 + i / 2 % 2 * 8, lane % 4 * 2 + i % 2 + i / 4 * 8}; }
/// B of the same: row is along k.
constexpr place b_16(int lane, int i) { return {lane % 4 * 2 + i % 2 + i / 2 * 8, lane / 4}; }
/// A of m16n8k4 and m16n8k8 with tf32.
constexpr place a_32(int lane, int i) { return {lane / 4 + i % 2 * 8, lane % 4 + i / 2 * 4}; }
constexpr place b_32(int lane, int i) { return {lane % 4 + i * 4, lane / 4}; }
/// C and D of m16n8: four elements of f32, or of f16 in two registers.
constexpr place c_16x8(int lane, int i) { return {lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2}; }
/// A, B, C of m8n8k4 with f64.
constexpr place a_64(int lane, int) { return {lane / 4, lane % 4}; }
constexpr place b_64(int lane, int) { return {lane % 4, lane / 4}; }
constexpr place c_64(int lane, int i) { return {lane / 4, lane % 4 * 2 + i}; }
/// One 8 x 8 matrix of 16-bit elements in ldmatrix, stmatrix and movmatrix.
constexpr place of_8x8(int lane, int i) { return {lane / 4, lane % 4 * 2 + i}; }

}  // namespace ptx_machine::fragments
