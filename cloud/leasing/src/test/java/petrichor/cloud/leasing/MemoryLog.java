package petrichor.cloud.leasing;

import java.util.ArrayList;
import java.util.List;

/** A log whose lines survive a kill of the process. Lines are converted to text and back. */
final class MemoryLog implements LeaseLog {
    private final List<String> lines = new ArrayList<>();

    @Override
    public List<LeaseLine> lines() {
        return lines.stream().map(line -> LeaseLine.parse(line).orElseThrow()).toList();
    }

    @Override
    public void add(LeaseLine line) {
        lines.add(line.text());
    }

    @Override
    public void close() {}
}
