/**
 * Who may do what, for every front end. A request shows a bearer token; {@link
 * petrichor.frontends.access.AccessTokens} finds the {@link petrichor.frontends.access.Caller} it
 * belongs to: a name, a {@link petrichor.frontends.access.Role} and a {@link
 * petrichor.frontends.access.Scope} of projects and databases. An {@link
 * petrichor.frontends.access.AccessAttempt} accompanies the request and refuses what its caller may
 * not do. Nothing here knows a wire protocol.
 */
@NullMarked
package petrichor.frontends.access;

import org.jspecify.annotations.NullMarked;
