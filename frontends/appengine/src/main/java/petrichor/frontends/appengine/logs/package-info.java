/** The API {@code logservice}: log lines that an app sends, and the newest ones for reading. */
@NullMarked
package petrichor.frontends.appengine.logs;

import org.jspecify.annotations.NullMarked;
