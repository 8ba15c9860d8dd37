@NullMarked
package petrichor.services.mail;

import org.jspecify.annotations.NullMarked;
