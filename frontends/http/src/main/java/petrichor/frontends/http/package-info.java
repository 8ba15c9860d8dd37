/**
 * HTTP resources on the shared port. A front end that speaks HTTP describes its resources as {@link
 * petrichor.frontends.http.Page}s; the server that listens on the port authenticates their callers,
 * bounds their bodies and runs them. Calls that need the owner of a project's database are {@link
 * petrichor.frontends.http.OwnerCall}s.
 */
@NullMarked
package petrichor.frontends.http;

import org.jspecify.annotations.NullMarked;
