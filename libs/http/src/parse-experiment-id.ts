import { Injectable, type PipeTransform } from '@nestjs/common';
import { requireExperimentId } from '#experiments';
import type { ExperimentId } from '#model';

/**
 * For an experiment id in a path: `@Param('experimentId', ParseExperimentId)`. Throws
 * `experiment-not-found`.
 */
@Injectable()
export class ParseExperimentId implements PipeTransform<string, ExperimentId> {
  transform(text: string): ExperimentId {
    return requireExperimentId(text);
  }
}
