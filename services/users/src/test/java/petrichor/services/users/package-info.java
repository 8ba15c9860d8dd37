@NullMarked
package petrichor.services.users;

import org.jspecify.annotations.NullMarked;
