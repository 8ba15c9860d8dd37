@NullMarked
package petrichor.apps.router.log;

import org.jspecify.annotations.NullMarked;
