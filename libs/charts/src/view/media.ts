import { type Fields, flag, oneOf, optional, readList, readNumber, single } from './field.ts';

/** Histogram style: one behind another, overlaid, or as bands of percentiles along the steps. */
export const histogramForms = ['offset', 'overlay', 'percentiles'] as const;
export type HistogramForm = (typeof histogramForms)[number];

/** The arrangement of images: the runs at one step, or a grid of runs and steps. */
export const imageForms = ['step', 'grid'] as const;
export type ImageForm = (typeof imageForms)[number];

/**
 * How two images are compared: side by side, alternating, or as the difference of their pixels.
 */
export const imageComparisons = ['side', 'flicker', 'difference'] as const;
export type ImageComparison = (typeof imageComparisons)[number];

/** The width of images, in pixels. */
export const imageSizeRange = { min: 48, max: 512 } as const;
const plainImageSize = 192;

/**
 * The comparison for each text: none; the text of its run at the previous step, at the first step
 * or at this step; or the text of another run at the same step.
 */
export type TextBase = '' | 'previous' | 'first' | `step:${number}` | `run:${string}`;

/** An image in full screen. */
export interface ImageChoice {
  readonly tag: string;
  readonly run: string;
  /** The image's position among the images that were logged together. */
  readonly index: number;
}

/** The image next to it, which has the same tag and position. */
export interface ImageWith {
  readonly run: string;
  /** Null for the page's step. */
  readonly step: number | null;
}

/** How histograms, images, audio, texts and curves are shown. */
export interface MediaView {
  /** The latest step of the images, audio, texts and curves to show; null for the last one. */
  readonly step: number | null;
  readonly histograms: HistogramForm;
  readonly imageForm: ImageForm;
  readonly imageSize: number;
  readonly image: ImageChoice | null;
  readonly imageWith: ImageWith | null;
  readonly imageComparison: ImageComparison;
  readonly textBase: TextBase;
  /** Whether audio clips have waveforms. */
  readonly waveforms: boolean;
}

export const mediaFields: Fields<MediaView> = {
  step: optional('step', readNumber, String),
  histograms: oneOf('histograms', histogramForms),
  imageForm: oneOf('images', imageForms),
  imageSize: single('imageSize', plainImageSize, (text) => readImageSize(text ?? '')),
  image: optional('image', readImage, ({ tag, run, index }) => JSON.stringify(index === 0 ? [tag, run] : [tag, run, index])),
  imageWith: optional('imageWith', readImageWith, ({ run, step }) => JSON.stringify(step === null ? [run] : [run, step])),
  imageComparison: oneOf('imageComparison', imageComparisons),
  textBase: single('textDiff', '', (text) => readTextBase(text ?? '')),
  waveforms: flag('waveforms'),
};

/**
 * Parses a whole number of pixels and limits it to the range; returns the default for anything
 * else.
 */
function readImageSize(text: string): number {
  return /^[0-9]{1,4}$/.test(text) ? Math.min(imageSizeRange.max, Math.max(imageSizeRange.min, Number(text))) : plainImageSize;
}

/** `["TAG","RUN"]`, or `["TAG","RUN",3]`. */
function readImage(text: string): ImageChoice | null {
  const [tag, run, index = 0] = readList(text);
  const isIndex = typeof index === 'number' && Number.isSafeInteger(index) && index >= 0;
  return typeof tag === 'string' && typeof run === 'string' && isIndex ? { tag, run, index } : null;
}

/** `["RUN"]`, or `["RUN",100]`. */
function readImageWith(text: string): ImageWith | null {
  const [run, step = null] = readList(text);
  const isStep = step === null || (typeof step === 'number' && Number.isFinite(step));
  return typeof run === 'string' && isStep ? { run, step } : null;
}

/** Any other string means none. */
export function readTextBase(text: string): TextBase {
  if (text === 'previous' || text === 'first') return text;
  if (text.startsWith('run:')) return `run:${text.slice(4)}`;
  const step = text.startsWith('step:') ? readNumber(text.slice(5)) : null;
  return step === null ? '' : `step:${step}`;
}

/** The run that texts are compared with; null if there is none. */
export function textBaseRun(base: TextBase): string | null {
  return base.startsWith('run:') ? base.slice(4) : null;
}
