import { z } from 'zod';

/** `?client=VERSION` of `GET /api/v1/server`. */
export const serverQuery = z.strictObject({ client: z.string().max(100).optional() });
