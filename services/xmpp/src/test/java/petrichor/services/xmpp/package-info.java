@NullMarked
package petrichor.services.xmpp;

import org.jspecify.annotations.NullMarked;
