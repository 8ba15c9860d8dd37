/**
 * The identity of an app: a service account and a key with which it signs. The key is created on
 * first use and stored in a row of the app's database, so that all servers sign with the same one.
 */
@NullMarked
package petrichor.services.identity;

import org.jspecify.annotations.NullMarked;
