/** A force for ears and skin: a tone that rises with it, and a buzz where the device can. */
export class ForceSound {
  private context: AudioContext | null = null;
  private tone: OscillatorNode | null = null;
  private gain: GainNode | null = null;
  private touching = false;
  on = false;

  set(on: boolean): void {
    this.on = on;
    if (on && !this.context && typeof AudioContext !== 'undefined') {
      this.context = new AudioContext();
      this.tone = this.context.createOscillator();
      this.gain = this.context.createGain();
      this.tone.type = 'triangle';
      this.gain.gain.value = 0;
      this.tone.connect(this.gain).connect(this.context.destination);
      this.tone.start();
    }
    this.play(0);
  }

  /** Two octaves from 220 Hz, the steeper the softer the touch. */
  static pitch(newtons: number): number {
    return 220 * 4 ** (newtons / (newtons + 3));
  }

  play(newtons: number): void {
    const touching = newtons > 0;
    if (this.on && touching && !this.touching) navigator.vibrate?.(Math.round(Math.min(60, 10 + 10 * newtons)));
    this.touching = touching;
    if (!this.context || !this.tone || !this.gain) return;
    const now = this.context.currentTime;
    if (touching) this.tone.frequency.setTargetAtTime(ForceSound.pitch(newtons), now, 0.02);
    this.gain.gain.setTargetAtTime(this.on && touching ? 0.12 : 0, now, 0.02);
  }

  close(): void {
    void this.context?.close();
    this.context = null;
  }
}
