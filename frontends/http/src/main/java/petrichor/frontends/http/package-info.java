/**
 * HTTP resources on the shared port. A front end that speaks HTTP describes its resources as {@link
 * petrichor.frontends.http.Page}s; the server that listens on the port authenticates their callers,
 * bounds their bodies and runs them.
 */
@NullMarked
package petrichor.frontends.http;

import org.jspecify.annotations.NullMarked;
