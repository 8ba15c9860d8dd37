package petrichor.bench.jobs;

import java.util.List;
import java.util.Map;

/** A program that runs a job in a process of its own. */
record JobContender(String name, List<String> command, Map<String, String> environment) {}
