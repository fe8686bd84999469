// The sounds of the page. No file: two notes, made when they are heard.

let audio: AudioContext | undefined;

export function play(what: "done" | "needs"): void {
  const [first, second] = what === "done" ? [660, 880] : [880, 660];
  audio ??= new AudioContext();
  void audio.resume();
  note(audio, first, 0);
  note(audio, second, 0.14);
}

function note(context: AudioContext, frequency: number, after: number): void {
  const [tone, loudness] = [context.createOscillator(), context.createGain()];
  const begin = context.currentTime + after;
  tone.frequency.value = frequency;
  loudness.gain.setValueAtTime(0, begin);
  loudness.gain.linearRampToValueAtTime(0.12, begin + 0.02);
  loudness.gain.exponentialRampToValueAtTime(0.001, begin + 0.3);
  tone.connect(loudness).connect(context.destination);
  tone.start(begin);
  tone.stop(begin + 0.32);
}
