// Decoding a model: the stream that follows from its definition.
#pragma once
#include "dyadic/decode/streamer.hpp"
#include "dyadic/exec/serial.hpp"
#include "dyadic/models/axes.hpp"

namespace dyadic::decode {

/// decoder{weights, exec::serial{}, batch{1}, capacity{4096}}; an exec::pool in serial's place outlives the decoder. Axis is the sequence,
/// Batch the axis of independent rows (rows may stand at different positions). A model that is not causal does not compile. prefill, step,
/// save, restore: streamer.hpp.
template <class Model, class T = float, class Axis = models::seq, class Batch = models::batch> class decoder : public streamer<T> {
 public:
  using program = streaming<Model, Axis>;

  template <class First, class... A>
    requires(!std::is_same_v<First, decoder_options>)
  decoder(weights<Model, T> w, cpu::workers on, Batch rows, capacity room, First first, A... axes)
      : decoder(w, on, rows, room, decoder_options{}, first, axes...) {}
  decoder(weights<Model, T> w, cpu::workers on, Batch rows, capacity room) : decoder(w, on, rows, room, decoder_options{}) {}
  /// Further run-time axes of the model follow the options.
  template <class... A>
  decoder(weights<Model, T> w, cpu::workers on, Batch rows, capacity room, decoder_options const& options, A... axes)
      : streamer<T>(programs(), w.shared(), checked(rows, room, axes...),
                    axis_number<Axis>(program::graph), axis_number<Batch>(program::graph), options, on) {}

  /// A second decoder that continues from here.
  decoder fork() const { return decoder(streamer<T>::fork()); }

 private:
  static stream_programs<T> programs() {
    using step_plan = dyadic::detail::usual_plan<program>;
    using prompt_plan = dyadic::detail::prefill_plan<program>;
    return {program::graph, cpu::compile<T, step_plan>(), cpu::compile<T, prompt_plan>()};
  }
  explicit decoder(streamer<T>&& s) : streamer<T>(static_cast<streamer<T>&&>(s)) {}
  template <class... A> static extents checked(Batch const& rows, capacity room, A const&... axes) {
    using all = binding<Batch, Axis, A...>;
    static_assert(every_axis_is_bound<all, dyadic::detail::missing_axis<program, all>()>, "decoder: an axis of the model is not bound");
    static_assert(every_bound_axis_is_in_the_model<binding<A...>, foreign_axis<binding<A...>>(program::graph)>,
                  "decoder: the model has no such axis");
    if (axis_number<Batch>(program::graph) < 0 && rows.extent != 1)
      raise(error_kind::binding, message() << "a model without an axis of rows decodes one row, not " << rows.extent);
    extents const e = extents_of(program::graph, bind(rows, Axis{room.positions}, axes...));
    int const bad = first_contradicted_axis(program::graph, e);
    if (bad >= 0)
      raise(error_kind::binding, (message() << "axis ").add(program::graph.axes[bad].name, program::graph.axes[bad].name_size)
                                     << " is bound to " << e.of[bad] << ", but the model fixes another extent");
    return e;
  }
};
template <class Model, class T, class Batch, class... A>
decoder(weights<Model, T>, cpu::workers, Batch, capacity, A...) -> decoder<Model, T, models::seq, Batch>;

}  // namespace dyadic::decode
