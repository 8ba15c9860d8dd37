@NullMarked
package petrichor.apps.router.tls;

import org.jspecify.annotations.NullMarked;
