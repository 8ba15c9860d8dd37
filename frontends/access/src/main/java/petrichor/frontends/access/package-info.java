/**
 * Authorization for every front end. A request carries a bearer token; {@link
 * petrichor.frontends.access.AccessTokens} finds its {@link petrichor.frontends.access.Caller}: a
 * name, a {@link petrichor.frontends.access.Role} and a {@link petrichor.frontends.access.Scope} of
 * projects and databases. An {@link petrichor.frontends.access.AccessAttempt} accompanies the
 * request and refuses what its caller may not do. Independent of wire protocols.
 */
@NullMarked
package petrichor.frontends.access;

import org.jspecify.annotations.NullMarked;
