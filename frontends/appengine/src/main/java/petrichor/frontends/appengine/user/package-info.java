/**
 * The API {@code user} of App Engine ({@code CreateLoginURL}, {@code CreateLogoutURL}, {@code
 * GetOAuthUser}), the pages where users sign in and out, and the pages that manage accounts.
 */
@NullMarked
package petrichor.frontends.appengine.user;

import org.jspecify.annotations.NullMarked;
