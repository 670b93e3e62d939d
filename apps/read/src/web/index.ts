export { Web } from './web.ts';
export { WebFilesController } from './web-files.controller.ts';
