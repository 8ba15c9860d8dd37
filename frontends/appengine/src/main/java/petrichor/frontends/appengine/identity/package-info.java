/**
 * The API {@code app_identity_service}: the calling app's service account, signatures and tokens.
 */
@NullMarked
package petrichor.frontends.appengine.identity;

import org.jspecify.annotations.NullMarked;
