export { GET } from '../jobs/route.js';
export const dynamic = 'force-dynamic';
export const runtime = 'edge';
