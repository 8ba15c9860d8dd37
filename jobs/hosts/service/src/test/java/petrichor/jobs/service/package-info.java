@NullMarked
package petrichor.jobs.service;

import org.jspecify.annotations.NullMarked;
