// Decoding a model: the stream that follows from its definition.
#pragma once
#include "dyadic/decode/streamer.hpp"
#include "dyadic/exec/serial.hpp"
#include "dyadic/models/axes.hpp"

namespace dyadic::decode {

/// decoder{weights, exec::serial{}, batch{1}, capacity{4096}}. Axis is the sequence, Batch the axis of independent rows (rows may stand at
/// different positions). A model that is not causal does not compile. prefill, step, save, restore: streamer.hpp.
template <class Model, class T = float, class Axis = models::seq, class Batch = models::batch> class decoder : public streamer<T> {
 public:
  using program = streaming<Model, Axis>;

  template <class First, class... A>
    requires(!std::is_same_v<First, decoder_options>)
  decoder(weights<Model, T> w, exec::serial, Batch rows, capacity room, First first, A... axes)
      : decoder(w, exec::serial{}, rows, room, decoder_options{}, first, axes...) {}
  decoder(weights<Model, T> w, exec::serial, Batch rows, capacity room) : decoder(w, exec::serial{}, rows, room, decoder_options{}) {}
  /// Further run-time axes of the model follow the options.
  template <class... A>
  decoder(weights<Model, T> w, exec::serial, Batch rows, capacity room, decoder_options const& options, A... axes)
      : streamer<T>({program::graph, program::plan, program::prefill}, w.shared(), checked(bind(rows, Axis{room.positions}, axes...)),
                    axis_number<Axis>(program::graph), axis_number<Batch>(program::graph), options) {}

  /// A second decoder that continues from here.
  decoder fork() const { return decoder(streamer<T>::fork()); }

 private:
  explicit decoder(streamer<T>&& s) : streamer<T>(static_cast<streamer<T>&&>(s)) {}
  template <class... A> static extents checked(binding<A...> const& b) {
    static_assert(every_axis_is_bound<binding<A...>, dyadic::detail::missing_axis<program, binding<A...>>()>,
                  "decoder: an axis of the model is not bound");
    return extents_of(program::graph, b);
  }
};
template <class Model, class T, class Batch, class... A>
decoder(weights<Model, T>, exec::serial, Batch, capacity, A...) -> decoder<Model, T, models::seq, Batch>;

}  // namespace dyadic::decode
