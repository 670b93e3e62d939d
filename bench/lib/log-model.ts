/**
 * Model of the generated logs, and the entropy floor of their storage: falling curves with Gaussian
 * noise and rare spikes. Each step follows the previous step after an interval with jitter; within
 * a step, each tag follows the previous tag after a short gap.
 */
export interface LogModel {
  readonly runs: number;
  readonly tags: number;
  readonly steps: number;
  readonly seed: number;
  /** Standard deviation of a value, as a fraction of the curve. */
  readonly noise: number;
  /** Fraction of points that are ten to thirty times the curve. */
  readonly spikeRate: number;
  readonly stepSeconds: number;
  /** Standard deviation of the interval between steps. */
  readonly jitterSeconds: number;
  /** Mean gap between two tags of a step. */
  readonly gapSeconds: number;
}

/** 20 runs x 20 tags x 5,000 steps, with the noise of the design's measurements. */
export const defaultModel: LogModel = {
  runs: 20,
  tags: 20,
  steps: 5_000,
  seed: 1,
  noise: 0.05,
  spikeRate: 0.001,
  stepSeconds: 0.5,
  jitterSeconds: 0.002,
  gapSeconds: 100e-6,
};

/**
 * First wall time of every generated log, seconds since the epoch. Fixed, so that a seed always
 * produces the same bytes.
 */
export const firstWallTime = 1_780_000_000;

/**
 * Gaps consist of this constant part and an exponential rest, as with real writers: Keras' gaps of
 * 250 us deviate by 35 us, always upwards.
 */
const constantPartOfGap = 0.85;

/**
 * One run's points, step by step. `random` is the run's own stream, so that a run does not depend
 * on the number of runs.
 */
export class RunModel {
  readonly #model: LogModel;
  readonly #random: Random;
  readonly #start: readonly number[];
  readonly #decay: number;
  #clock: number;

  constructor(model: LogModel, run: number) {
    this.#model = model;
    this.#random = new Random(model.seed * 65_537 + run + 1);
    this.#start = Array.from({ length: model.tags }, (_, tag) => curveStart(run, tag));
    this.#decay = 5 / model.steps;
    this.#clock = firstWallTime + run;
  }

  /** Moves to the next step and returns its wall time. */
  nextStep(): number {
    this.#clock += this.#model.stepSeconds + this.#model.jitterSeconds * this.#random.gaussian();
    return this.#clock;
  }

  /** Returns the seconds from one tag of a step to the next. */
  gap(): number {
    const { gapSeconds } = this.#model;
    return gapSeconds * (constantPartOfGap - (1 - constantPartOfGap) * Math.log(1 - this.#random.uniform()));
  }

  /** Returns the value of a tag at a step. */
  value(tag: number, step: number): number {
    const { noise, spikeRate } = this.#model;
    const value = curve(this.#start[tag]!, step * this.#decay) * (1 + noise * this.#random.gaussian());
    return this.#random.uniform() < spikeRate ? value * (10 + 20 * this.#random.uniform()) : value;
  }
}

/**
 * Average bytes per point that no lossless code can beat, for this model (differential entropy of
 * its noise).
 */
export interface EntropyFloor {
  /** The float32 values. */
  readonly value: number;
  /** Wall times, stored per series. */
  readonly wallTime: number;
  /** Wall times, if all series of a run share one clock and store only their gaps. */
  readonly sharedWallTime: number;
}

/**
 * Bits of a noisy number = log2(standard deviation / spacing of the float type) + log2 of the
 * distribution's shape factor: sqrt(2 pi e) for a Gaussian, e for an exponential. Steps with a
 * constant stride cost nothing. A spike costs the bits to mark it.
 */
export function entropyFloor(model: LogModel): EntropyFloor {
  const gaussian = Math.sqrt(2 * Math.PI * Math.E);
  const samples = 2_000;
  let valueBits = 0;
  for (let i = 0; i < samples; i++) {
    const value = curve(curveStart(i % model.runs, i % model.tags), (5 * i) / samples);
    valueBits += Math.log2((model.noise * value * gaussian) / spacing(value, 23)) / samples;
  }
  if (model.spikeRate > 0) {
    valueBits -= model.spikeRate * Math.log2(model.spikeRate) + (1 - model.spikeRate) * Math.log2(1 - model.spikeRate);
  }
  const clockSpacing = spacing(firstWallTime, 52);
  const stepBits = bits(model.jitterSeconds * gaussian, clockSpacing);
  const gapBits = bits((1 - constantPartOfGap) * model.gapSeconds * Math.E, clockSpacing);
  return {
    value: Math.max(0, valueBits) / 8,
    wallTime: stepBits / 8,
    sharedWallTime: (stepBits + (model.tags - 1) * gapBits) / model.tags / 8,
  };
}

/** Small, fast counter-based generator (sfc32) with a Gaussian on top; platform independent. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;
  #spare: number | null = null;

  constructor(seed: number) {
    this.#a = seed | 0;
    this.#b = (seed ^ 0x9e3779b9) | 0;
    this.#c = Math.imul(seed | 1, 0x85ebca6b);
    for (let i = 0; i < 15; i++) this.#next();
  }

  /** In [0, 1). */
  uniform(): number {
    return this.#next() / 4_294_967_296;
  }

  /** Mean 0, standard deviation 1 (Box-Muller, both values used). */
  gaussian(): number {
    if (this.#spare !== null) {
      const spare = this.#spare;
      this.#spare = null;
      return spare;
    }
    const radius = Math.sqrt(-2 * Math.log(1 - this.uniform()));
    const angle = 2 * Math.PI * this.uniform();
    this.#spare = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  }

  #next(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    this.#c |= 0;
    return sum >>> 0;
  }
}

function curveStart(run: number, tag: number): number {
  return 0.5 + ((run * 7 + tag * 3) % 40) / 4;
}

function curve(start: number, age: number): number {
  return start * (0.1 + 0.9 * Math.exp(-age));
}

function spacing(value: number, mantissaBits: number): number {
  return 2 ** (Math.floor(Math.log2(value)) - mantissaBits);
}

function bits(width: number, unit: number): number {
  return Math.max(0, Math.log2(width / unit));
}
