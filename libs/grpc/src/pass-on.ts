import { Catch, type ExceptionFilter } from '@nestjs/common';
import { type Observable, throwError } from 'rxjs';

/**
 * Passes a handler's error to the server, which has the call: errors are then reported in one
 * place, whether before or within a stream.
 */
@Catch()
export class PassOn implements ExceptionFilter {
  catch(thrown: unknown): Observable<never> {
    return throwError(() => thrown);
  }
}
