@NullMarked
package petrichor.server.admin;

import org.jspecify.annotations.NullMarked;
