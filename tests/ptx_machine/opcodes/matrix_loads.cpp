// ldmatrix, stmatrix and movmatrix: 8 x 8 matrices of 16-bit elements between shared memory and the lanes of a warp.
#include <cstring>

#include "opcodes/fragments.hpp"
#include "opcodes/handlers.hpp"
#include "opcodes/spaces.hpp"

namespace ptx_machine {
namespace {

using s = scalar;
constexpr std::uint32_t everybody = 0xffffffff;

struct part {   // what a lane brings or takes away
  std::uint16_t row[8];            // the row whose address it gives
  std::uint32_t registers[4];
  bool complete;                   // all 32 lanes were there
};

bool complete(void** of_lanes) {
  bool all = true;
  for (int lane = 0; lane < 32; ++lane) all = all && of_lanes[lane];
  for (int lane = 0; lane < 32; ++lane)
    if (of_lanes[lane]) static_cast<part*>(of_lanes[lane])->complete = all;
  return all;
}

/// Element (row, column) of matrix m: lane 8 m + row has the address of that row.
std::uint16_t& in_rows(void** of_lanes, int m, int row, int column) { return static_cast<part*>(of_lanes[8 * m + row])->row[column]; }

template <int count, bool trans, bool to_rows> void distribute(void** of_lanes, std::uint32_t) {
  if (!complete(of_lanes)) return;
  for (int m = 0; m < count; ++m)
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 2; ++i) {
        auto const [row, column] = fragments::of_8x8(lane, i);
        std::uint16_t& element = trans ? in_rows(of_lanes, m, column, row) : in_rows(of_lanes, m, row, column);
        std::uint32_t& mine = static_cast<part*>(of_lanes[lane])->registers[m];
        if (to_rows) element = static_cast<std::uint16_t>(mine >> (16 * i));
        else mine = (mine & (0xffffu << (16 * (1 - i)))) | std::uint32_t(element) << (16 * i);
      }
}

void need_all(frame& f, instruction const& i, part const& mine) {
  if (!mine.complete) f.here.trap("a matrix instruction needs all 32 lanes of the warp", i.at);
}

std::uint64_t row_address(frame const& f, instruction const& i) {
  std::uint64_t const at = address_of(f, i);
  return access_kind::of(i.flags).in == space::shared ? at : lane::from_generic(space::shared, at);
}

template <int count, bool trans> instruction const* load(frame& f, instruction const& i) {
  part mine{};
  if (f.here.lane_index() < 8 * count) f.here.load(space::shared, row_address(f, i), mine.row, 16, i.at);
  f.here.collective(everybody, &mine, distribute<count, trans, false>, {.orders_memory = false, .aligned = true}, i.at);
  need_all(f, i, mine);
  for (unsigned m = 0; m < count; ++m) put(f, f.code.lists[i.list + m], mine.registers[m]);
  return &i + 1;
}
template <int count, bool trans> instruction const* store(frame& f, instruction const& i) {
  part mine{};
  for (unsigned m = 0; m < count; ++m) mine.registers[m] = get<std::uint32_t>(f, f.code.lists[i.list + m]);
  f.here.collective(everybody, &mine, distribute<count, trans, true>, {.orders_memory = false, .aligned = true}, i.at);
  need_all(f, i, mine);
  if (f.here.lane_index() < 8 * count) f.here.store(space::shared, row_address(f, i), mine.row, 16, i.at);
  return &i + 1;
}

void transpose(void** of_lanes, std::uint32_t) {
  if (!complete(of_lanes)) return;
  std::uint16_t all[8][8];
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 2; ++i) {
      auto const [row, column] = fragments::of_8x8(lane, i);
      all[row][column] = static_cast<std::uint16_t>(static_cast<part*>(of_lanes[lane])->registers[0] >> (16 * i));
    }
  for (int lane = 0; lane < 32; ++lane) {
    auto const [row, column] = fragments::of_8x8(lane, 0);
    static_cast<part*>(of_lanes[lane])->registers[0] = all[column][row] | std::uint32_t(all[column + 1][row]) << 16;
  }
}
instruction const* move(frame& f, instruction const& i) {
  part mine{};
  mine.registers[0] = get<std::uint32_t>(f, i.a);
  f.here.collective(everybody, &mine, transpose, {.orders_memory = false, .aligned = true}, i.at);
  need_all(f, i, mine);
  put(f, i.d, mine.registers[0]);
  return &i + 1;
}

template <bool loads> void decode_matrix(decoder& d) {
  if (!d.take("sync") || !d.take("aligned")) d.fail("expected .sync.aligned");
  if (!d.take("m8n8")) d.fail("unknown shape ." + std::string(d.peek()));
  std::size_t const power = d.take_one_of({"x1", "x2", "x4"});
  bool const trans = d.take("trans");
  access_kind kind;
  kind.in = take_space(d);
  if (kind.in != space::shared && kind.in != space::generic) d.fail("matrices lie in shared memory");
  d.take_type({s::b16});
  if (!loads) take_address(d, kind);
  operand const& registers = d.next();
  std::vector<operand> parts = registers.what == operand::kind::vector ? registers.parts : std::vector<operand>{registers};
  if (parts.size() != std::size_t(1) << power) d.fail("the vector has the wrong number of elements");
  std::vector<std::uint32_t> slots;
  for (operand const& o : parts) slots.push_back(loads ? d.destination_of(o, s::b32) : d.source_of(o, s::b32));
  d.begin_list();
  for (std::uint32_t slot : slots) d.list(slot);
  if (loads) take_address(d, kind);
  d.needs_site();
  if constexpr (loads) {
    constexpr handler all[] = {&load<1, false>, &load<2, false>, &load<4, false>, &load<1, true>, &load<2, true>, &load<4, true>};
    d.emit(all[power + (trans ? 3 : 0)]);
  } else {
    constexpr handler all[] = {&store<1, false>, &store<2, false>, &store<4, false>, &store<1, true>, &store<2, true>, &store<4, true>};
    d.emit(all[power + (trans ? 3 : 0)]);
  }
}

}  // namespace

void add_matrix_loads(opcode_table& t) {
  t.add("ldmatrix", opcode_kind::any, decode_matrix<true>);
  t.add("stmatrix", opcode_kind::any, decode_matrix<false>);
  t.add("movmatrix", opcode_kind::any, [](decoder& d) {
    for (char const* m : {"sync", "aligned", "m8n8", "trans"})
      if (!d.take(m)) d.fail(std::string("expected .") + m);
    d.take_type({s::b16});
    d.out.d = d.destination(s::b32);
    d.out.a = d.source(s::b32);
    d.needs_site();
    d.emit(move);
  });
}

}  // namespace ptx_machine
