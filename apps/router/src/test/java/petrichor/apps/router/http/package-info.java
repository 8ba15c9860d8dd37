@NullMarked
package petrichor.apps.router.http;

import org.jspecify.annotations.NullMarked;
