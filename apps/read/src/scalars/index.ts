export { ScalarsController } from './scalars.controller.ts';
export { scalarsQuery } from './scalars-query.ts';
