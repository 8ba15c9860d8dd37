package petrichor.apps.hosting;

import java.util.List;

/**
 * What a file of an app, such as {@code queue.yaml}, has changed.
 *
 * @param defined what the file contains: names of queues, URLs of jobs or of rules, kinds of
 *     indexes
 * @param paused queues of the former file that it does not contain
 */
public record AppliedFile(String file, List<String> defined, List<String> paused) {
    public AppliedFile {
        defined = List.copyOf(defined);
        paused = List.copyOf(paused);
    }
}
