package petrichor.jobs.jobgraph;

import java.io.Serializable;

/** One of a task's subtasks, from 0. */
public record SubtaskId(int vertex, int subtask) implements Serializable, Comparable<SubtaskId> {
    @Override
    public int compareTo(SubtaskId other) {
        int byVertex = Integer.compare(vertex, other.vertex);
        return byVertex != 0 ? byVertex : Integer.compare(subtask, other.subtask);
    }

    @Override
    public String toString() {
        return vertex + "/" + subtask;
    }
}
