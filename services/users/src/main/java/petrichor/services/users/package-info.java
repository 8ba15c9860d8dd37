/**
 * The users of apps. {@link petrichor.services.users.Accounts} keeps accounts with their roles in
 * rows of a system database; {@link petrichor.services.users.SignIn} checks passwords, against
 * these or an LDAP directory, and limits attempts; {@link petrichor.services.users.OpenIdProvider}
 * signs users in through OpenID Connect; {@link petrichor.services.users.Sessions} issues and
 * checks the signed cookie; {@link petrichor.services.users.UserHeaders} is what an app learns
 * about the user of a request.
 */
@NullMarked
package petrichor.services.users;

import org.jspecify.annotations.NullMarked;
