import { Catch, type ExceptionFilter } from '@nestjs/common';
import { type Observable, throwError } from 'rxjs';

/** What a handler throws goes to the server, which knows the call: it is told in one place, whether it came before or within a stream. */
@Catch()
export class PassOn implements ExceptionFilter {
  catch(thrown: unknown): Observable<never> {
    return throwError(() => thrown);
  }
}
