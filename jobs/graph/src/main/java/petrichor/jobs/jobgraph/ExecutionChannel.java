package petrichor.jobs.jobgraph;

/**
 * Connects two subtasks.
 *
 * @param edge index of the job graph's edge that it is part of
 */
public record ExecutionChannel(int edge, SubtaskId from, SubtaskId to, ChannelType type) {}
