// What the server says: see docs/reference/web-interface.md.

export type Status = "pending" | "in-progress" | "blocked" | "done" | "deferred" | "cancelled";
export type Priority = "high" | "medium" | "low";

export interface Task {
  id: string;
  title: string;
  activeForm?: string;
  status: Status;
  priority: Priority;
  dependencies?: string[];
  subtasks?: { done: number; total: number };
  assignee?: string;
  hasDescription?: boolean;
  created: string;
  updated: string;
  completed?: string;
}

export interface Subtask {
  id: string;
  number: number;
  title: string;
  description?: string;
  status: Status;
}

/** All that is known of one task. */
export interface Details extends Omit<Task, "subtasks"> {
  description?: string;
  subtasks: Subtask[];
  holdsUp?: string[];
}

export interface Session {
  name: string;
  client?: string;
  live: boolean;
  tasks: string[];
  list?: { title: string; activeForm?: string; status: Status; updated: string }[];
}

export interface Board {
  revision: number;
  now: string;
  project: string;
  version: string;
  tasks: Task[];
  next?: { id: string; why: string };
  criticalPath: string[];
  sessions: Session[];
}

export interface HistoryEvent {
  at: string;
  by: string;
  client?: string;
  what: string;
  task: { id: string; title: string };
}

export interface Day {
  day: string;
  open: number;
  finished: number;
  added: number;
}

export const STATUSES: readonly Status[] = ["pending", "in-progress", "blocked", "done", "deferred", "cancelled"];
export const PRIORITIES: readonly Priority[] = ["high", "medium", "low"];

export const STATUS_WORDS: Record<Status, string> = {
  pending: "Pending",
  "in-progress": "In progress",
  blocked: "Blocked",
  done: "Done",
  deferred: "Deferred",
  cancelled: "Cancelled",
};

export const PRIORITY_WORDS: Record<Priority, string> = { high: "High", medium: "Medium", low: "Low" };

/** Whether work on it may still be needed. */
export const isOpen = (task: { status: Status }): boolean => task.status !== "done" && task.status !== "cancelled";
