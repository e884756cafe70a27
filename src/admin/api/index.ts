export { apiRoutes } from './routes.js';
