// Formatting for printf on the device.
#include "opcodes/print.hpp"

#include <cstdio>
#include <cstring>

namespace ptx_machine {
namespace {

constexpr std::size_t longest = 1 << 16;   // of a string: one without an end must not read on for ever

class arguments {
 public:
  arguments(lane& l, std::uint64_t at, site where) : lane_(l), at_(at), where_(where) {}
  template <class T> T next() {
    at_ = (at_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T x;
    lane_.load(space::generic, at_, &x, sizeof x, where_);
    at_ += sizeof x;
    return x;
  }

 private:
  lane& lane_;
  std::uint64_t at_;
  site where_;
};

template <class... T> std::string formatted(std::string const& specification, T... x) {
  char text[512];
  int const n = std::snprintf(text, sizeof text, specification.c_str(), x...);
  if (n < static_cast<int>(sizeof text)) return std::string(text, static_cast<std::size_t>(n < 0 ? 0 : n));
  std::string large(static_cast<std::size_t>(n) + 1, '\0');
  std::snprintf(large.data(), large.size(), specification.c_str(), x...);
  large.pop_back();
  return large;
}

}  // namespace

std::string string_from(lane& l, std::uint64_t address, site at) {
  std::string text;
  for (char c; text.size() < longest; text += c) {
    l.load(space::generic, address + text.size(), &c, 1, at);
    if (c == '\0' || c == '\xff') break;   // 0xff is what a load out of bounds gives
  }
  return text;
}

std::string format_from(lane& l, std::uint64_t format_address, std::uint64_t argument_address, site at) {
  std::string const format = string_from(l, format_address, at);
  arguments args(l, argument_address, at);
  std::string out;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      out += format[i];
      continue;
    }
    std::string specification = "%";
    std::size_t k = i + 1;
    bool wide = false;
    for (; k < format.size() && std::strchr("-+ #0123456789.*lhzjt", format[k]); ++k) {
      char const c = format[k];
      if (c == '*') specification += std::to_string(args.next<std::int32_t>());
      else if (std::strchr("lzjt", c)) wide = true;
      else if (c != 'h') specification += c;
    }
    char const conversion = k < format.size() ? format[k] : '\0';
    if (conversion == '%') out += '%';
    else if (conversion && std::strchr("di", conversion))
      out += wide ? formatted(specification + "ll" + conversion, args.next<long long>())
                  : formatted(specification + conversion, args.next<std::int32_t>());
    else if (conversion && std::strchr("uoxX", conversion))
      out += wide ? formatted(specification + "ll" + conversion, args.next<unsigned long long>())
                  : formatted(specification + conversion, args.next<std::uint32_t>());
    else if (conversion == 'c') out += formatted(specification + conversion, args.next<std::int32_t>());
    else if (conversion && std::strchr("fFeEgGaA", conversion)) out += formatted(specification + conversion, args.next<double>());
    else if (conversion == 'p') out += formatted("0x%llx", args.next<unsigned long long>());
    else if (conversion == 's') out += formatted(specification + conversion, string_from(l, args.next<std::uint64_t>(), at).c_str());
    else {
      out += format.substr(i, k - i + 1);
    }
    i = k;
  }
  return out;
}

}  // namespace ptx_machine
