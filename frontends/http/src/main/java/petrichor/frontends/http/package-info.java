/**
 * What front ends share. A front end that speaks HTTP describes its resources as {@link
 * petrichor.frontends.http.Page}s; the server that listens on the shared port authenticates their
 * callers, bounds their bodies and runs them. A front end that serves one of Google's APIs over
 * REST and gRPC describes it as {@link petrichor.frontends.http.ApiMethod}s, which the owner of the
 * project's default database executes ({@link petrichor.frontends.http.ApiCalls}). Other calls that
 * need that owner are {@link petrichor.frontends.http.OwnerCall}s.
 */
@NullMarked
package petrichor.frontends.http;

import org.jspecify.annotations.NullMarked;
