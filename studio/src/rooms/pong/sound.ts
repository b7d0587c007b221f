// Short tones of the game, made as they are needed; silent until the player wants them.

export class PongSound {
    private context: AudioContext | null = null;
    private on = false;

    set(on: boolean): void {
        this.on = on;
        if (on && !this.context && typeof AudioContext !== 'undefined') this.context = new AudioContext();
    }

    /** A tone that fades; frequency in Hz, strength 0 to 1. */
    private tone(frequency: number, strength: number, seconds: number, type: OscillatorType): void {
        if (!this.on || !this.context) return;
        const now = this.context.currentTime;
        const oscillator = this.context.createOscillator(), gain = this.context.createGain();
        oscillator.type = type;
        oscillator.frequency.setValueAtTime(frequency, now);
        gain.gain.setValueAtTime(0.18 * strength, now);
        gain.gain.exponentialRampToValueAtTime(1e-4, now + seconds);
        oscillator.connect(gain).connect(this.context.destination);
        oscillator.start(now);
        oscillator.stop(now + seconds);
    }

    /** What the ball met, as bits: paddles, walls, goals; a squarer ball sounds harder. */
    play(events: number, impact: number, squareness: number): void {
        const strength = Math.min(1, 0.35 + impact / 60);
        const type: OscillatorType = squareness < 0.7 ? 'square' : squareness > 1.3 ? 'triangle' : 'sine';
        if (events & 3) this.tone(events & 1 ? 440 : 554, strength, 0.16, type);
        if (events & 12) this.tone(262, 0.7 * strength, 0.1, type);
        if (events & 48) this.tone(131, 0.9, 0.5, 'triangle');
    }

    close(): void {
        void this.context?.close();
        this.context = null;
    }
}
