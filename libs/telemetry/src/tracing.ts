/**
 * Facts about a span; names follow OpenTelemetry's semantic conventions. They never contain users'
 * names or values.
 */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** A request, a job or a round of periodic work, while it runs. */
export interface Span {
  /** The span's context in W3C form, for continuing the trace in another process. */
  readonly traceparent: string;
  /** Whether the span is sampled and has not ended. */
  readonly isRecording: boolean;
  /** Runs `work`, and everything that it starts, with this span as the active one. */
  run<T>(work: () => T): T;
  /** Adds a step that has just ended as a child; does nothing unless the span is recording. */
  addStep(step: Step): void;
  /** Ends the span. `failed`: a fixed word, e.g. a problem code; null if it succeeded. */
  end(result: { readonly name?: string; readonly attributes?: SpanAttributes; readonly failed?: string | null }): void;
}

/**
 * A statement or a request to the object store that has ended. It is plain data, because threads
 * send it.
 */
export interface Step {
  readonly kind: 'statement' | 'object';
  /** A fixed name defined by the program. */
  readonly name: string;
  /** End time, in milliseconds since 1970. */
  readonly endedAt: number;
  readonly seconds: number;
  readonly failed: boolean;
}

/** How a span starts: as the root of a trace, or below another process's span. */
export interface SpanStart {
  readonly kind: 'server' | 'consumer' | 'internal';
  /** The W3C context of the parent span; ignored if it is invalid. */
  readonly parent?: string | undefined;
  readonly attributes?: SpanAttributes;
}

/** A recorder of spans. */
export interface Tracer {
  start(name: string, start: SpanStart): Span;
  /** The span whose {@link Span.run} runs the caller; null if there is none. */
  active(): Span | null;
}

let tracer: Tracer | null = null;
let passStepOn: ((step: Step) => void) | null = null;

/** From now on, `next` records spans; null stops recording. */
export function useTracer(next: Tracer | null): void {
  tracer = next;
}

/** For threads without a tracer: passes their steps to the process, which has the span. */
export function passStepsOn(to: (step: Step) => void): void {
  passStepOn = to;
}

/** Whether this process or thread records anything. */
export function isTracing(): boolean {
  return tracer !== null || passStepOn !== null;
}

/** Starts a span; null unless spans are recorded. */
export function startSpan(name: string, start: SpanStart): Span | null {
  return tracer === null ? null : tracer.start(name, start);
}

/**
 * The span of the current request or job; null if there is none, or it has ended or is not sampled.
 */
export function activeSpan(): Span | null {
  const span = tracer === null ? null : tracer.active();
  return span?.isRecording ? span : null;
}

/** Adds a step that has just ended to the current request or job, if it is recorded. */
export function noteStep(kind: Step['kind'], name: string, seconds: number, failed: boolean): void {
  if (passStepOn) passStepOn({ kind, name, endedAt: Date.now(), seconds, failed });
  else activeSpan()?.addStep({ kind, name, endedAt: Date.now(), seconds, failed });
}
